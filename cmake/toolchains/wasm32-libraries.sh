#!/bin/bash
# The libraries that reading and writing models need, compiled to WebAssembly: cJSON, utf8proc and zlib, from Debian's
# source packages (docs/adr/0025-the-library-in-a-page.md). apt checks their signatures.
#
#     cmake/toolchains/wasm32-libraries.sh PREFIX
set -eu
prefix=$1
packages="cjson utf8proc zlib"
if [ "$prefix/complete" -nt "$0" ]; then exit 0; fi
rm -rf "$prefix"
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include" "$prefix/apt/lists/partial" "$prefix/apt/archives/partial"
prefix=$(cd -- "$prefix" && pwd)
export NODE_PATH=/usr/share/nodejs

# Lists of sources are apart from those of the system: no root is needed, and the system stays as it is.
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
cat >"$prefix/apt/sources.sources" <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: $suite
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
# shellcheck disable=SC2086 # a list of words
apt-get source --download-only $packages
for package in $packages; do
    dpkg-source --no-copy --extract "$package"_*.dsc "$package"
done

library() { # NAME VERSION SOURCE...
    name=$1
    version=$2
    shift 2
    mkdir -p "objects/$name"
    for source in "$@"; do
        emcc -O3 -msimd128 -DUTF8PROC_STATIC -DHAVE_UNISTD_H -c "$source" -o "objects/$name/$(basename "$source" .c).o"
    done
    emar rcs "$prefix/lib/lib$name.a" "objects/$name"/*.o
    cat >"$prefix/lib/pkgconfig/$name.pc" <<END
Name: $name
Description: compiled to WebAssembly
Version: $version
Cflags: -I$prefix/include -DUTF8PROC_STATIC
Libs: -L$prefix/lib -l$name
END
}

version_of() { # PACKAGE
    sed -n 's/^Version: \([0-9]*:\)\{0,1\}\([0-9.]*[0-9]\).*/\2/p' "$1"_*.dsc | head -n 1
}

cp cjson/cJSON.h utf8proc/utf8proc.h zlib/zlib.h zlib/zconf.h "$prefix/include/"
library cjson "$(version_of cjson)" cjson/cJSON.c
mv "$prefix/lib/pkgconfig/cjson.pc" "$prefix/lib/pkgconfig/libcjson.pc"
library utf8proc "$(version_of utf8proc)" utf8proc/utf8proc.c
mv "$prefix/lib/pkgconfig/utf8proc.pc" "$prefix/lib/pkgconfig/libutf8proc.pc"
library zlib "$(version_of zlib)" zlib/adler32.c zlib/crc32.c zlib/deflate.c zlib/trees.c zlib/zutil.c \
    zlib/inflate.c zlib/inffast.c zlib/inftrees.c zlib/gzclose.c zlib/gzlib.c zlib/gzread.c zlib/gzwrite.c
rm -rf "$prefix/apt"
touch "$prefix/complete"
