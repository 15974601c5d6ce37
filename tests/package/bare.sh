#!/bin/sh
# Copies FOLDER to the root of a Debian that has nothing but PACKAGES, and runs its script use.sh there, with the copy as its
# home. apt asks nothing.
#   bare.sh RELEASE FOLDER [PACKAGE]...    as root; RELEASE is bookworm or another
set -eu

release=$1
folder=$(cd -- "$2" && pwd)
shift 2
name=$(basename "$folder")

# $1 is the folder of the new system: mmdebstrap says so to its hook.
exec mmdebstrap --variant=minbase --quiet ${1:+"--include=$(echo "$@" | tr ' ' ,)"} \
    --aptopt='APT::Get::Assume-Yes "true"' \
    --customize-hook="copy-in $folder /" \
    --customize-hook="env HOME=/$name PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        chroot \"\$1\" bash -c 'cd && exec bash use.sh </dev/null'" \
    "$release" /dev/null http://deb.debian.org/debian
