#!/bin/bash
# Archives of libraries that reading and writing models needs, where Debian has none: from its source packages, whose
# signatures apt checks (docs/adr/0024-pages.md). PACKAGE is cjson, utf8proc, zlib or, for Windows, where it does not
# fork, check.
#
#     cmake/toolchains/libraries.sh PREFIX "COMPILER FLAG..." ARCHIVER PACKAGE...
set -eu
prefix=$1
compiler=$2
archiver=$3
shift 3
if [ "$prefix/complete" -nt "$0" ]; then exit 0; fi
rm -rf "$prefix"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include" "$prefix/apt/lists/partial" "$prefix/apt/archives/partial"
prefix=$(cd -- "$prefix" && pwd)
export NODE_PATH=/usr/share/nodejs

# Lists of sources are apart from those of the system: no root is needed, and the system stays as it is. They are those of
# Debian 12 on every Debian, so that pages and packages have the same versions inside wherever they are built.
cat >"$prefix/apt/sources.sources" <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
cat >"$prefix/apt/apt.conf" <<END
Dir::State "$prefix/apt";
Dir::State::status "/dev/null";
Dir::Cache "$prefix/apt";
Dir::Etc::SourceList "$prefix/apt/sources.sources";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "";
END
export APT_CONFIG="$prefix/apt/apt.conf"
apt-get update
cd "$prefix/apt"
apt-get source --download-only "$@"

library() { # NAME SOURCE...
    name=$1
    shift
    mkdir -p "objects/$name"
    for source in "$@"; do
        $compiler -DUTF8PROC_STATIC -DHAVE_UNISTD_H -c "$source" -o "objects/$name/$(basename "$source" .c).o"
    done
    $archiver rcs "$prefix/lib/lib$name.a" "objects/$name"/*.o
}

for package; do
    dpkg-source --no-copy --extract "$package"_*.dsc "$package"
    version=$(sed -n 's/^Version: \([0-9]*:\)\{0,1\}\([0-9.]*[0-9]\).*/\2/p' "$package"_*.dsc | head -n 1)
    module=$package
    case $package in
    cjson)
        module=libcjson
        cp cjson/cJSON.h "$prefix/include/"
        library cjson cjson/cJSON.c
        ;;
    utf8proc)
        module=libutf8proc
        cp utf8proc/utf8proc.h "$prefix/include/"
        library utf8proc utf8proc/utf8proc.c
        ;;
    zlib)
        cp zlib/zlib.h zlib/zconf.h "$prefix/include/"
        library zlib zlib/adler32.c zlib/crc32.c zlib/deflate.c zlib/trees.c zlib/zutil.c zlib/inflate.c zlib/inffast.c \
            zlib/inftrees.c zlib/gzclose.c zlib/gzlib.c zlib/gzread.c zlib/gzwrite.c
        ;;
    check)
        cmake -S check -B objects/check -D CMAKE_SYSTEM_NAME=Windows -D CMAKE_C_COMPILER="${compiler%% *}" \
            -D CMAKE_C_FLAGS="${compiler#* }" -D CHECK_ENABLE_TESTS=OFF -D CHECK_ENABLE_SUBUNIT=OFF -D CMAKE_BUILD_TYPE=Release \
            -D CMAKE_INSTALL_PREFIX="$prefix"
        cmake --build objects/check --target install
        rm "$prefix/lib/libcheck.dll.a"
        ;;
    esac
    mkdir -p "$prefix/licenses"
    debian=$(sed -n 's/^Version: \(.*:\)\{0,1\}//p' "$package"_*.dsc | head -n 1)
    cp "$package/debian/copyright" "$prefix/licenses/${package}_$debian"
    cat >"$prefix/lib/pkgconfig/$module.pc" <<END
Name: $package
Description: an archive
Version: $version
Cflags: -I\${pcfiledir}/../../include -DUTF8PROC_STATIC
Libs: -L\${pcfiledir}/.. -l$package
END
done
rm -rf "$prefix/apt"
touch "$prefix/complete"
