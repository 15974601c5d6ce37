# musl by Debian's musl-tools, linked statically. No library of the host is built for it: it needs LOOKBACK_FILES=OFF,
# LOOKBACK_PLOT=OFF, LOOKBACK_OPENMP=OFF and LOOKBACK_BLAS=none.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
# A cache would see the time of a wrapper, and not that of the compiler behind it.
set(CMAKE_C_COMPILER_LAUNCHER "")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
