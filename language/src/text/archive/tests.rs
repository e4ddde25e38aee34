use std::io::Write;

use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;

/// A zip archive with these files.
fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns the message for opening these bytes as `p.zip`, without the folder.
fn refusal(bytes: &[u8], limits: Limits) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.zip");
    std::fs::write(&path, bytes).unwrap();
    let archive = match Archive::open_within(&path, limits) {
        Err(e) => return e.to_string().replace(&format!("{}/", folder.path().display()), ""),
        Ok(archive) => archive,
    };
    for name in archive.names() {
        if let Err(e) = archive.read(name) {
            return e.to_string().replace(&format!("{}/", folder.path().display()), "");
        }
    }
    "no refusal".into()
}

#[test]
fn folder_and_zip_have_the_same_files() {
    let files: [(&str, &[u8]); 6] = [
        ("My tank's project/M.bum", b"<m/>"),
        ("My tank's project/.project", b"<p/>"),
        ("__MACOSX/My tank's project/._M.bum", b"junk"),
        ("My tank's project/.DS_Store", b"junk"),
        ("My tank's project/.settings/x.prefs", b"hidden"),
        ("My tank's project/sub/C.BUC", "caf\u{e9}".as_bytes()),
    ];
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("folder");
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let zipped = root.path().join("a.zip");
    std::fs::write(&zipped, packed(&files)).unwrap();
    for path in [&folder, &zipped] {
        let archive = Archive::open(path).unwrap();
        let expected =
            ["My tank's project/.project", "My tank's project/M.bum", "My tank's project/sub/C.BUC"];
        assert_eq!(archive.names(), expected);
        assert_eq!(archive.with_extension("buc"), ["My tank's project/sub/C.BUC"]);
        assert_eq!(archive.read("My tank's project/M.bum").unwrap(), b"<m/>");
        assert_eq!(archive.text("My tank's project/sub/C.BUC").unwrap().text, "caf\u{e9}");
        let missing = archive.read("M.bum").unwrap_err().to_string();
        assert!(missing.ends_with("there is no file `M.bum` in it"), "{missing}");
    }
    let archive = Archive::open(&zipped).unwrap();
    assert!(archive.place("a/M.bum").to_string_lossy().ends_with("a.zip!/a/M.bum"));
    let beside = Archive::beside(&folder.join("My tank's project/M.bum")).unwrap();
    assert_eq!(beside.names(), [".project", "M.bum"]);
}

#[test]
fn windows_separators_and_dots_are_normalised() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a.zip");
    std::fs::write(&path, packed(&[("P\\M.bum", b"1"), ("./P/./C.buc", b"2")])).unwrap();
    assert_eq!(Archive::open(&path).unwrap().names(), ["P/C.buc", "P/M.bum"]);
}

#[test]
fn names_that_lead_out_are_refused() {
    let check = |name: &str, expected: &str| {
        let found = refusal(&packed(&[("M.bum", b"x"), (name, b"y")]), Limits::default());
        assert_eq!(found, format!("p.zip: `{}` {expected}, so it is not read", name.replace('\\', "/")));
    };
    check("../M.bum", "leads out of the archive");
    check("P/../../M.bum", "leads out of the archive");
    check("P\\..\\..\\M.bum", "leads out of the archive");
    check("/etc/M.bum", "is an absolute path");
    check("C:\\M.bum", "is an absolute path");
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    zip.add_symlink("M.bum", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    let found = refusal(&bytes, Limits::default());
    assert_eq!(found, "p.zip: `M.bum` is a symbolic link, so it is not read");
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("project");
    std::fs::create_dir_all(folder.join("real")).unwrap();
    std::fs::write(root.path().join("secret"), "x").unwrap();
    std::fs::write(folder.join("real/M.bum"), "m").unwrap();
    std::os::unix::fs::symlink("../secret", folder.join("out.bum")).unwrap();
    std::os::unix::fs::symlink("real/M.bum", folder.join("in.bum")).unwrap();
    std::os::unix::fs::symlink("..", folder.join("loop")).unwrap();
    let archive = Archive::open(&folder).unwrap();
    assert_eq!(archive.names(), ["in.bum", "out.bum", "real/M.bum"]);
    assert_eq!(archive.read("in.bum").unwrap(), b"m");
    let error = archive.read("out.bum").unwrap_err().to_string();
    assert!(
        error.ends_with("`out.bum` is a link that leads out of the folder, so it is not read"),
        "{error}"
    );
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 3 << 20];
    let bytes = packed(&[("a.bum", &zeros), ("b.bum", &zeros)]);
    let default = Limits::default();
    let check = |limits: Limits, expected: &str| assert_eq!(refusal(&bytes, limits), expected);
    check(
        default,
        "p.zip: `a.bum` is more than 400 times as large as in the archive; this is no project; if it is, \
         unpack it and name the folder",
    );
    check(Limits { ratio: 2000, ..default }, "no refusal");
    check(
        Limits { ratio: 2000, entries: 1, ..default },
        "p.zip: there are 2 files in it, more than 1; pack one project",
    );
    check(
        Limits { ratio: 2000, total: 4 << 20, ..default },
        "p.zip: its files have more than 4194304 bytes; pack one project",
    );
    check(
        Limits { ratio: 2000, file: 2 << 20, ..default },
        "p.zip: `a.bum` has more than 2097152 bytes; take it out of the project",
    );
    // The size in the directory is a lie: 22 bytes, at offset 24 of the central record, say 100.
    let mut bytes = packed(&[("a.bum", &zeros)]);
    let directory = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[directory + 24..directory + 28].copy_from_slice(&100u32.to_le_bytes());
    let found = refusal(&bytes, default);
    assert!(found.contains("more than 400 times") || found.contains("damaged"), "{found}");
}

#[test]
fn archives_that_are_cut_off_or_damaged_are_refused() {
    let content: Vec<u8> = (0..20_000u32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let bytes = packed(&[("P/M.bum", &content), ("P/C.buc", b"<c/>")]);
    assert_eq!(refusal(&bytes, Limits::default()), "no refusal");
    for end in [4, 10, 100, bytes.len() / 2, bytes.len() - 30, bytes.len() - 1] {
        let found = refusal(&bytes[..end], Limits::default());
        assert!(found.starts_with("p.zip: the archive is cut off or damaged ("), "{end}: {found}");
        assert!(found.ends_with("copy or export it again"), "{found}");
    }
    assert_eq!(refusal(b"", Limits::default()), "p.zip: is no zip archive (it is empty)");
    let found = refusal(b"MACHINE M END", Limits::default());
    assert_eq!(found, "p.zip: is no zip archive (it does not begin with `PK`)");
    // Every single byte may be wrong: an error or the same names, never a panic.
    for at in (0..bytes.len()).filter(|at| at % 997 == 0 || *at + 150 > bytes.len()) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x55;
        let _ = refusal(&broken, Limits::default());
    }
    let mut broken = bytes.clone();
    broken[1000] ^= 0xff;
    let found = refusal(&broken, Limits::default());
    assert!(found.starts_with("p.zip: `P/M.bum` in the archive is damaged ("), "{found}");
}

#[test]
fn one_name_twice_is_refused() {
    let bytes = packed(&[("P/M.bum", b"x"), ("P\\M.bum", b"y")]);
    assert_eq!(
        refusal(&bytes, Limits::default()),
        "p.zip: there are two files `P/M.bum` in the archive; pack it again"
    );
}

#[test]
fn names_are_split_at_their_last_dot() {
    assert_eq!(split("a/b.c/M.x.bum"), ("a/b.c", "M.x", "bum"));
    assert_eq!(split(".project"), ("", ".project", ""));
    assert_eq!(split("P/README"), ("P", "README", ""));
}
