# Debian's cross compiler for a big-endian processor; programs run under qemu. The libraries are in a folder that `./run`
# makes: Debian 12 has no security updates for s390x, so apt cannot install them next to those of the host.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/s390x-sysroot ABSOLUTE)
# Tools are those of the host, and so are the fonts, which are data.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x -L ${CMAKE_SYSROOT})

# Libraries are those of this processor and never the host's, whose pkg-config files CMake would find too.
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/s390x-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
