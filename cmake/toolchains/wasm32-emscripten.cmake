# WebAssembly by Debian's Emscripten; programs run under node. It needs LOOKBACK_PLOT=OFF, LOOKBACK_OPENMP=OFF,
# LOOKBACK_BLAS=none, LOOKBACK_SHARED=OFF and LOOKBACK_HARDEN=OFF, and the libraries of libraries.sh, where
# PKG_CONFIG_LIBDIR says, and PKG_CONFIG_PATH again, since Emscripten 3.1.69 sets the former to its own tree.
find_program(EM_CONFIG em-config REQUIRED)
execute_process(COMMAND ${EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE EMSCRIPTEN_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)
include(${EMSCRIPTEN_ROOT}/cmake/Modules/Platform/Emscripten.cmake)
# A cache would see the time of a wrapper, and not that of the compiler behind it.
set(CMAKE_C_COMPILER_LAUNCHER "")
# Vectors of 128 bits, which browsers have had since 2021 (Safari since 2023). Without them a step takes four times as
# long.
set(CMAKE_C_FLAGS_INIT -msimd128)
# A model may be larger than the memory at the start. The stack has the strips of the products (tensor/gemm_vector.c).
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB -sTOTAL_STACK=1MB")
# The libraries of PKG_CONFIG_PATH are not in Emscripten's own tree.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY BOTH)
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-experimental-fetch") # Emscripten 3.1.6 would fetch its module by a path
