# Windows by Debian's mingw-w64; programs run under wine. It needs LOOKBACK_PLOT=OFF, LOOKBACK_BLAS=none and
# LOOKBACK_HARDEN=OFF, and the libraries of libraries.sh beside Debian's zlib, where PKG_CONFIG_LIBDIR says.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# printf and scanf are those of mingw-w64, which know %zu and round correctly. GCC takes the stack for aligned to 32 and 64
# bytes, which Windows does not do (bug 54412), so that no instruction may rely on it.
set(CMAKE_C_FLAGS_INIT "-D__USE_MINGW_ANSI_STDIO=1 -Wa,-muse-unaligned-vector-move")
# One file is enough: all that is not Windows itself is inside.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -s")
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE libgomp
  OUTPUT_STRIP_TRAILING_WHITESPACE)
set(OpenMP_gomp_LIBRARY ${libgomp} CACHE FILEPATH "an archive, not a DLL")
set(pkgcfg_lib_ZLIB_z /usr/x86_64-w64-mingw32/lib/libz.a CACHE FILEPATH "an archive, not a DLL")
get_filename_component(build ${CMAKE_CURRENT_LIST_DIR}/../../build ABSOLUTE)
set(CMAKE_CROSSCOMPILING_EMULATOR env WINEDEBUG=-all WINEPREFIX=${build}/wine LC_ALL=C.UTF-8 wine)
