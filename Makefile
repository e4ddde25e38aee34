# make demo   builds the program and shows what it does
# make check  the fast tests, for each commit: format, lints, unit tests, and the integration tests that take seconds
# make test   all tests and lints, before a merge; what CI runs
# make setup  finds or fetches libz3; afterwards plain cargo commands work too
# make install PREFIX=/usr/local [DESTDIR=…]  the program, stripped, with its libz3, completions and manual pages
# make dist   the Python wheel and an archive of the program, in dist
# make test-wheel  the tests of the Python package with the wheel, in a fresh environment
# make gallery  the pictures of docs/gallery.md, by a release build and Chromium
# make book   the documents as a book in target/book; builds mdbook the first time

CARGO := $(or $(shell command -v cargo 2>/dev/null),$(wildcard $(HOME)/.cargo/bin/cargo),cargo)

# The configuration names libz3 and the rpath for it.
unexport RUSTFLAGS

# A failure on one machine is one on every machine. To look further: another seed, or
# PROPTEST_CASES=60000.
export PROPTEST_RNG_SEED ?= 1

# Test programs are run by a script, which gives those a second try that libz3 takes down.
HOST := $(shell $(CARGO) -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
check test test-program test-libraries: export CARGO_TARGET_$(HOST)_RUNNER := $(CURDIR)/tools/run-test

# What each half says stands together, where make can do that.
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),-O)

# Tests of the program that say something else where libz3 is not linked. The others test the same code again.
WITHOUT_Z3 := certify check cli formats mc propositional readme unknown vacuous writing

# Integration tests of the program that take a few seconds each.
QUICK := cli examples explain_code formats fuzz readme

PREFIX ?= /usr/local

.PHONY: demo check test test-program test-libraries setup install install-test uninstall dist test-wheel test-python book gallery
.DEFAULT_GOAL := demo

demo: setup
	$(CARGO) build --release
	target/release/bsym ic3 examples/counter.mch --proofs examples/counter.po.json
	@echo
	@echo 'Try next:  target/release/bsym check examples/overflow.mch --set display=127'

check: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace --lib --bins $(addprefix --test ,$(QUICK))
	$(CARGO) test -p bsym --doc

test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace --no-run
	$(MAKE) -j2 $(TOGETHER) test-program test-libraries
	$(CARGO) clippy --workspace --all-targets --no-default-features -- -D warnings
	$(CARGO) test -p bsym-encodings --no-default-features
	$(CARGO) test -p bsym --no-default-features --bins $(addprefix --test ,$(WITHOUT_Z3))
	RUSTDOCFLAGS='-D rustdoc::broken_intra_doc_links -A rustdoc::private_intra_doc_links' \
	  $(CARGO) doc --workspace --no-deps --document-private-items
	tools/extra-checks '$(CARGO)'

# Halves of the tests that take about as long, side by side: many tests have one thread, or wait. The runner chooses, since
# cargo would build packages with other features where it is given some of them.
test-program:
	BSYM_TESTS=program $(CARGO) test --workspace --bins --tests
	BSYM_TESTS=program $(CARGO) test -p bsym --doc
test-libraries:
	BSYM_TESTS=libraries $(CARGO) test --workspace

setup:
	@tools/setup

# The installed program looks for libz3 beside itself and nowhere in this checkout, so it is built apart from the others.
install: setup
	tools/install '$(DESTDIR)' '$(PREFIX)' '$(CARGO)'

install-test: setup
	tools/test-install '$(CARGO)'

uninstall:
	tools/install --remove '$(DESTDIR)' '$(PREFIX)'

# Both have the program of `make install`.
dist: setup
	tools/wheel dist '$(CARGO)'

test-wheel: setup
	tools/test-wheel '$(CARGO)'

# The same tests with a debug build, for the work on the package; needs pytest.
test-python: setup
	$(CARGO) build -p bsym
	BSYM=target/debug/bsym PYTHONPATH=python python3 -m pytest -q python/tests

# The installed mdbook, else one of our own: 0.5.4 builds with Rust 1.88 and newer.
MDBOOK := $(or $(shell command -v mdbook 2>/dev/null),target/mdbook/bin/mdbook)

book: $(if $(filter target/%,$(MDBOOK)),$(MDBOOK))
	tools/book $(MDBOOK)

target/mdbook/bin/mdbook:
	CARGO_TARGET_DIR=target/mdbook/build $(CARGO) install mdbook --version 0.5.4 --locked --no-default-features --features search --root target/mdbook
	rm -rf target/mdbook/build

gallery: setup
	$(CARGO) build --release
	tools/gallery
