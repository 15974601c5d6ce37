# Reads a disassembly of the library for x86-64. Fails if a portable kernel has a fused multiply-add, or if no other kernel
# has one: then this program would not see them.
/^[0-9a-f]+ <.*>:$/ {
    name = $2
    portable += name ~ /_portable_avx/
}

/vfn?m(add|sub)/ {
    if (name ~ /_portable_avx/) {
        print name, $0
        fused = 1
    } else if (name ~ /_avx/)
        others++
}

END {
    print portable + 0, "portable kernels, and", others + 0, "fused operations in others"
    exit fused || !portable || !others
}
