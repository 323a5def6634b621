# How is plumb packed for those who install it? The functions of ./dev dist, which reads this file; packages go to target/dist/.

# Processors of the static program, and what Debian and images call them.
declare -A machines=([x86_64]=amd64 [aarch64]=arm64)
gnu=x86_64-unknown-linux-gnu
windows=x86_64-pc-windows-gnu
mdbook_version=0.5.4
# What the templates name as @NAME@.
declare -A values

# The same commit gives the same packages: no path of this machine, and the time of the commit in place of the time of day.
prepare_dist() {
    version=$(cargo metadata --format-version 1 --no-deps --locked | python3 -c 'import json, sys
print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "plumb"))')
    out=$PWD/${CARGO_TARGET_DIR:-target}/dist
    tools=$PWD/${CARGO_TARGET_DIR:-target}/dist-tools
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
    export SOURCE_DATE_EPOCH TZ=UTC CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=aarch64-linux-gnu-gcc
    # Where this machine keeps its sources stands in no message of the program.
    path_flags="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo --remap-path-prefix=$PWD=."
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    rm -rf "$out"
    mkdir -p "$out"
    values[VERSION]=$version
    # 1.0.0~rc.1 is older than 1.0.0; a hyphen would begin the revision of the package.
    values[DEBIAN_VERSION]=${version//-/\~}
}

# Prints a template with its names replaced; one without a value is an error: fill TEMPLATE
fill() {
    local text name
    text=$(<"$1")
    for name in "${!values[@]}"; do
        text=${text//"@$name@"/"${values[$name]}"}
    done
    if [[ $text =~ @[A-Z][A-Z0-9_]*@ ]]; then
        echo "$1: ${BASH_REMATCH[0]} has no value" >&2
        return 1
    fi
    printf '%s\n' "$text"
}

# The programs from PyPI that build the wheel and try it, in a folder of their own.
dist_tools() {
    local wanted=packaging/python/requirements.txt
    cmp --silent "$wanted" "$tools/requirements.txt" && return 0
    python3 -m venv --clear "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$tools/requirements.txt"
}

# Builds plumb for a target and says where it is: build_for TARGET [FLAGS FOR THE LINKER AND COMPILER]
build_for() {
    local target=$1 flags=$2
    rustup target add "$target" >/dev/null 2>&1 || {
        echo "the standard library for $target cannot be had here: rustup target add $target" >&2
        return 1
    }
    echo "building for $target" >&2
    RUSTFLAGS="$path_flags${flags:+ $flags}" cargo build --release --locked --quiet --package plumb --target "$target"
}

built() {
    echo "$PWD/${CARGO_TARGET_DIR:-target}/$1/release"
}

# The target of the static program: musl x86_64
musl() {
    echo "$1-unknown-linux-musl"
}

# Scripts for shells and manual pages, from the program itself.
texts_of() {
    local plumb=$1 shell page
    mkdir -p "$out/completions" "$out/man"
    for shell in bash zsh fish powershell; do
        case $shell in
            zsh) page=_plumb ;;
            powershell) page=_plumb.ps1 ;;
            *) page=plumb.$shell ;;
        esac
        "$plumb" completions "$shell" >"$out/completions/$page"
    done
    "$plumb" manual --list | while read -r page; do
        "$plumb" manual "$page" >"$out/man/$page.1"
    done
}

# One file for Linux, whatever libraries it has: linked with all of musl. Images take it from a folder with the name that they have for the processor.
static_linux() {
    local machine=$1 name=plumb-$version-$1-linux
    install -m 755 "$(built "$(musl "$machine")")/plumb" "$out/$name"
    install -D -m 755 "$out/$name" "$out/image/${machines[$machine]}/plumb"
    mkdir -p "$work/$name"
    cp -r "$out/completions" "$out/man" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md "$work/$name"
    install -m 755 "$out/$name" "$work/$name/plumb"
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$work" "$name" |
        gzip -9n >"$out/$name.tar.gz"
}

windows() {
    # The linker writes the time of day into the file unless it is told not to.
    build_for "$windows" '-Clink-arg=-Wl,--no-insert-timestamp'
    local name=plumb-$version-x86_64-windows
    cp "$(built "$windows")/plumb.exe" "$out/$name.exe"
    mkdir -p "$work/$name"
    cp "$out/$name.exe" "$work/$name/plumb.exe"
    cp "$out/completions/_plumb.ps1" LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md "$work/$name"
    find "$work/$name" -exec touch --date "@$SOURCE_DATE_EPOCH" {} +
    (cd "$work" && find "$name" | LC_ALL=C sort | zip -q -X -9 "$out/$name.zip" -@)
}

# For Debian 12 and later. On amd64 with the system's own C library, so that libfabric can be loaded; elsewhere the static program.
debian_packages() {
    build_for "$gnu" ''
    # Which versions of libraries it needs, from the symbols that it uses; the command wants to stand in the tree of a source package.
    mkdir -p "$work/source/debian"
    touch "$work/source/debian/control"
    local program depends
    program=$(built "$gnu")/plumb
    depends=$(cd "$work/source" && dpkg-shlibdeps -O "$program" | sed -n 's/^shlibs:Depends=//p')
    debian_package amd64 "$program" "$depends"
    debian_package arm64 "$out/plumb-$version-aarch64-linux" ''
}

# debian_package ARCHITECTURE PROGRAM DEPENDS
debian_package() {
    local root=$work/deb-$1 share page
    share=$root/usr/share
    install -D -m 755 "$2" "$root/usr/bin/plumb"
    install -D -m 644 "$out/completions/plumb.bash" "$share/bash-completion/completions/plumb"
    install -D -m 644 "$out/completions/_plumb" "$share/zsh/vendor-completions/_plumb"
    install -D -m 644 "$out/completions/plumb.fish" "$share/fish/vendor_completions.d/plumb.fish"
    mkdir -p "$share/man/man1" "$share/doc/plumbline"
    for page in "$out"/man/*.1; do
        gzip -9n <"$page" >"$share/man/man1/$(basename "$page").gz"
    done
    cp packaging/debian/copyright LICENSE-MIT "$share/doc/plumbline"
    cp "$out/plumb.cdx.json" "$share/doc/plumbline"
    gzip -9n <CHANGELOG.md >"$share/doc/plumbline/changelog.gz"
    values[ARCHITECTURE]=$1
    values[DEPENDS]=$3
    values[KIB]=$(du -sk --apparent-size "$root" | cut -f1)
    mkdir -p "$root/DEBIAN"
    fill packaging/debian/control.in | sed '/^Depends: $/d' >"$root/DEBIAN/control"
    find "$root" -type d -exec chmod 755 {} +
    dpkg-deb --root-owner-group --build "$root" "$out/plumbline_${version}_$1.deb" >/dev/null
}

# Recipes of other package managers: all files of packaging/recipes/, with the names and checksums of the packages. PLUMB_RELEASE_URL is the address below
# which these will be published. Without it, it is that of `python3 -m http.server` in the folder of the packages, for trying the recipes.
recipes() {
    local template recipe
    values[ARM_FOLDER]=plumb-$version-aarch64-linux
    values[ARM_TAR]=${values[ARM_FOLDER]}.tar.gz
    values[ARM_TAR_SHA256]=$(sha256_of "$out/${values[ARM_TAR]}")
    values[LINUX_FOLDER]=plumb-$version-x86_64-linux
    values[LINUX_TAR]=${values[LINUX_FOLDER]}.tar.gz
    values[LINUX_TAR_SHA256]=$(sha256_of "$out/${values[LINUX_TAR]}")
    values[WINDOWS_FOLDER]=plumb-$version-x86_64-windows
    values[WINDOWS_ZIP]=${values[WINDOWS_FOLDER]}.zip
    values[WINDOWS_ZIP_SHA256]=$(sha256_of "$out/${values[WINDOWS_ZIP]}")
    # A hyphen, as in 1.0.0-rc.1, separates version and release there. What is written in its place lets a candidate be older than its version.
    values[RPM_VERSION]=${version//-/\~}
    values[ARCH_VERSION]=${version//-/}
    values[URL]=${PLUMB_RELEASE_URL:-http://localhost:8000}
    values[HOMEPAGE]=${PLUMB_HOMEPAGE:-${values[URL]%%/releases/*}}
    find packaging/recipes -type f | while read -r template; do
        recipe=$out/recipes/${template#packaging/recipes/}
        mkdir -p "$(dirname "$recipe")"
        fill "$template" >"$recipe"
    done
}

sha256_of() {
    sha256sum "$1" | cut -d' ' -f1
}

# The static program for distributions with RPM.
rpm_package() {
    rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_sourcedir $out" --define "_rpmdir $out" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' "$out/recipes/rpm/plumbline.spec"
}

# Each recipe by the tool of its package manager, as far as Debian and PyPI have it.
lint_recipes() {
    local recipes=$out/recipes
    rpmlint --strict --config packaging/rpmlint.toml "$recipes/rpm/plumbline.spec" "$out"/*.rpm
    bash -n "$recipes/arch/PKGBUILD"
    ruby -c "$recipes/homebrew/plumbline.rb" >/dev/null
    nix-instantiate --parse "$recipes/nix/flake.nix" >/dev/null
    python3 -m json.tool "$recipes/scoop/plumbline.json" >/dev/null
    "$tools/bin/yamllint" --strict --config-data '{extends: default, rules: {document-start: disable, line-length: {max: 160}}}' "$recipes/winget" packaging/ci packaging/kubernetes
    "$tools/bin/check-jsonschema" --quiet --builtin-schema vendor.github-actions packaging/ci/action.yml
    "$tools/bin/kubernetes-validate" --quiet --strict packaging/kubernetes/{base/{volume,job},shared/ranks,classes/fast}.yaml
    # The schema does not look into jobs whose name begins with a dot.
    sed 's/^\.plumb-gate:/plumb-gate:/' packaging/ci/plumb-gate.gitlab-ci.yml >"$work/gitlab-ci.yml"
    "$tools/bin/check-jsonschema" --quiet --builtin-schema vendor.gitlab-ci "$work/gitlab-ci.yml"
}

# For every Linux that pip knows: the static program needs neither of the two C libraries that wheels are told apart by. What the program is made of is in it,
# too, and is told beside it.
wheel() {
    (cd packaging/python && RUSTFLAGS=$path_flags "$tools/bin/maturin" build --quiet --release --locked --target "$(musl "$1")" \
        --compatibility manylinux2014 musllinux_1_1 --auditwheel skip --out "$out")
}

# Every library in the program with version, licence and checksum (CycloneDX), as maturin puts it into the wheel (PEP 770).
bill_of_materials() {
    python3 - "$out" "$PWD" <<'PYTHON'
import pathlib, sys, zipfile
out = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(out.glob("*x86_64.whl"))) as wheel:
    (name,) = (name for name in wheel.namelist() if "/sboms/" in name)
    text = wheel.read(name).decode()
# Where this machine keeps the sources is nobody's concern.
(out / "plumb.cdx.json").write_text(text.replace("file://" + sys.argv[2] + "/", "file:"))
PYTHON
}

# The book as pages with search, for any web server or as files. mdBook reads Markdown files below one folder: the book, the page on installation, the decisions,
# and what is derived from the program.
book() {
    local root=$PWD/${CARGO_TARGET_DIR:-target}/mdbook name=plumb-$version-book
    local mdbook=$root/bin/mdbook folder=$work/book src=$work/book/src page
    if [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$mdbook_version" ]; then
        echo "building mdbook $mdbook_version" >&2
        cargo install --locked --quiet --debug --root "$root" --version "$mdbook_version" mdbook
    fi
    mkdir -p "$src"
    cp -r docs/book docs/decisions docs/install.md docs/*.json docs/*.txt "$src"
    sed 's#^src = "."$#src = "src"#' "$src/book/book.toml" >"$folder/book.toml"
    # The first page and the contents stand above the folder of the book there.
    sed -E -e 's#\[README\]\([^)]*\)#README#' -e 's#\[contents\]\(SUMMARY.md\)#contents#' -e 's#\]\(#](book/#g' "$src/book/README.md" >"$src/README.md"
    sed -E -e 's#\]\(#](book/#' -e 's#book/README.md#README.md#' "$src/book/SUMMARY.md" >"$src/SUMMARY.md"
    rm "$src/book/README.md" "$src/book/SUMMARY.md" "$src/book/book.toml"
    # Links to the source, which is not part of the book, become text.
    sed -E -i 's#\[([^]]*)\]\(\.\./\.\./[^)]*\)#\1#g' "$src"/decisions/*.md "$src"/book/*.md
    {
        printf '\n# Installation and decisions\n\n- [Installation](install.md)\n'
        for page in "$src"/decisions/*.md; do
            printf -- '- [%s](decisions/%s)\n' "$(sed -n '1s/^# //p' "$page")" "$(basename "$page")"
        done
    } >>"$src/SUMMARY.md"
    "$mdbook" build --dest-dir "$work/$name" "$folder" >&2
    follow_links "$work/$name"
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$work" "$name" |
        gzip -9n >"$out/$name.tar.gz"
}

# Each link of the book leads to a file of it, and its search has an index: follow_links FOLDER
follow_links() {
    python3 - "$1" <<'PYTHON'
import pathlib, re, sys, urllib.parse
root = pathlib.Path(sys.argv[1])
pages = [page for page in root.rglob("*.html") if page.name not in ("404.html", "print.html")]
links = 0
for page in pages:
    for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text()):
        if re.match(r"[a-z]+:|//|#", link):
            continue
        links += 1
        target = urllib.parse.unquote(re.split("[?#]", link)[0])
        if not (page.parent / target).exists():
            sys.exit(f"{page.relative_to(root)} links to {link}, which is not there")
if len(pages) < 30 or links < 1000 or not list(root.glob("searchindex*.js*")):
    sys.exit(f"the book has {len(pages)} pages and {links} links, and an index for its search: {list(root.glob('searchindex*'))}")
PYTHON
}

# Does the program say that it is this version? The lines after the first tell the build: is_version 'plumb 1.2.3' COMMAND...
is_version() {
    local said
    said=$("${@:2}" --version | sed -n 1p)
    [ "$said" = "$1" ] || {
        echo "${*:2} --version says '$said', not '$1'" >&2
        return 1
    }
}

# Does each package do what it is for? In places of their own, which are removed; nothing is installed on this machine.
try_packages() {
    local said="plumb $version" name=plumb-$version-x86_64-linux deb=$out/plumbline_${version}_amd64.deb arm="qemu-aarch64-static"
    echo "trying the packages" >&2
    if [ "$(id -u)" = 0 ]; then
        mkdir -p "$work/empty/data"
        cp "$out/$name" "$work/empty/plumb"
        is_version "$said" chroot "$work/empty" /plumb
        chroot "$work/empty" /plumb run --target /data --pattern random-read --block 4k --size 4m --depth 4 --operations 1000 --quiet --no-report --output /data/run >/dev/null
        chroot "$work/empty" /plumb show /data/run >/dev/null
    else
        echo "not tried: the static program in an empty chroot, which needs root" >&2
    fi
    tar --extract --file "$out/$name.tar.gz" --directory "$work" --one-top-level=unpacked
    is_version "$said" "$work/unpacked/$name/plumb"
    tar --extract --file "$out/plumb-$version-aarch64-linux.tar.gz" --directory "$work" --one-top-level=unpacked
    is_version "$said" "$arm" "$work/unpacked/plumb-$version-aarch64-linux/plumb"
    dpkg-deb --extract "${deb/amd64/arm64}" "$work/installed-arm64"
    is_version "$said" "$arm" "$work/installed-arm64/usr/bin/plumb"
    dpkg-deb --extract "$deb" "$work/installed"
    is_version "$said" "$work/installed/usr/bin/plumb"
    mkdir -p "$work/from-rpm"
    rpm2cpio "$out"/*.rpm | (cd "$work/from-rpm" && cpio --extract --make-directories --quiet)
    is_version "$said" "$work/from-rpm/usr/bin/plumb"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$out" plumbline
    is_version "$said" "$work/venv/bin/plumb"
    is_version "$said" "$work/venv/bin/plumbline"
    is_version "$said" env UV_CACHE_DIR=$work/uv UV_TOOL_DIR=$work/uv-tools "$tools/bin/uvx" --quiet --no-index --find-links "$out" plumbline
}

pack() {
    prepare_dist
    dist_tools
    local machine
    for machine in "${!machines[@]}"; do
        build_for "$(musl "$machine")" ''
        wheel "$machine"
    done
    texts_of "$(built "$(musl x86_64)")/plumb"
    bill_of_materials
    for machine in "${!machines[@]}"; do
        static_linux "$machine"
    done
    windows
    debian_packages
    recipes
    rpm_package
    lint_recipes
    cp packaging/Containerfile "$out"
    book
    try_packages
    (cd "$out" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | xargs -d '\n' sha256sum >SHA256SUMS)
    (cd "$out" && ls -l --block-size=1 -- *)
}
