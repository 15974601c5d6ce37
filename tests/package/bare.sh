#!/bin/sh
# Copies FOLDER to the root of a Debian that has nothing but PACKAGES, and runs its script use.sh there, with the copy as its
# home. apt asks nothing. The script's folder out, if there is one, comes back to FOLDER.
#   bare.sh RELEASE FOLDER [PACKAGE]...    as root; RELEASE is bookworm or another, or bookworm-arm64, which binfmt emulates
set -eu

release=$1
folder=$(cd -- "$2" && pwd)
shift 2
name=$(basename "$folder")

# $1 is the folder of the new system: mmdebstrap says so to its hook.
case $release in *-*) architecture=${release#*-} ;; *) architecture=$(dpkg --print-architecture) ;; esac
exec mmdebstrap --variant=minbase --quiet --architectures="$architecture" ${1:+"--include=$(echo "$@" | tr ' ' ,)"} \
    --aptopt='APT::Get::Assume-Yes "true"' \
    --customize-hook="copy-in $folder /" \
    --customize-hook="env HOME=/$name PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        chroot \"\$1\" bash -c 'cd && exec bash use.sh </dev/null'" \
    --customize-hook="test ! -d \"\$1/$name/out\" || cp -r \"\$1/$name/out\" $folder/" \
    "${release%-*}" /dev/null http://deb.debian.org/debian
