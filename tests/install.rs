//! `tools/install` puts everything where it belongs. That the program finds its library after a move is checked by
//! `make install-test`, which builds it as it is installed.

mod common;

use bsym_testing::process::Limited;
use common::{has_solver, root};

#[test]
fn what_is_installed_is_complete_and_can_be_removed() {
    if cfg!(not(feature = "z3")) || !has_solver() || !root().join(".cargo/config.toml").exists() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let staged = folder.path().join("staged");
    let install = |more: &[&str]| {
        let script = Limited::new(root().join("tools/install"))
            .args(more)
            .arg(&staged)
            .arg("/opt/b")
            .env("BSYM_PROGRAM", env!("CARGO_BIN_EXE_bsym"))
            .output()
            .expect("a shell");
        assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    };
    install(&[]);
    let prefix = folder.path().join("moved");
    std::fs::rename(staged.join("opt/b"), &prefix).expect("it can be moved");
    for file in [
        "share/man/man1/bsym.1",
        "share/man/man1/bsym-check.1",
        "share/bash-completion/completions/bsym",
        "share/zsh/site-functions/_bsym",
        "share/fish/vendor_completions.d/bsym.fish",
    ] {
        assert!(prefix.join(file).metadata().is_ok_and(|m| m.len() > 100), "{file}");
    }
    let version = Limited::new(prefix.join("bin/bsym")).arg("--version").output().expect("it runs");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("bsym "));
    std::fs::rename(&prefix, staged.join("opt/b")).expect("it can be moved back");
    install(&["--remove"]);
    assert!(!staged.join("opt/b/bin/bsym").exists() && !staged.join("opt/b/lib/bsym").exists());
    assert_eq!(std::fs::read_dir(staged.join("opt/b/share/man/man1")).expect("a folder").count(), 0);
}
