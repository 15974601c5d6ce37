# One interface target carries what every file of the project is compiled with.
add_library(lookback_options INTERFACE)
target_compile_options(lookback_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unknown-pragmas
  # Neither changes a value: nothing here reads errno or traps after arithmetic, and both stand in the way of SIMD.
  -fno-math-errno -fno-trapping-math
  # a*b+c may become one fused operation: it is the more exact one. Within one binary it is always the same choice.
  -ffp-contract=fast)
# Loops marked for SIMD that call libm, as all do in double, or that are built with little optimisation, stay as they are.
target_compile_options(lookback_options INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
# POSIX, and madvise beside it.
target_compile_definitions(lookback_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_link_libraries(lookback_options INTERFACE m)
if(LOOKBACK_OPENMP)
  target_link_libraries(lookback_options INTERFACE OpenMP::OpenMP_C)
else()
  # Loops for SIMD need no threads.
  target_compile_options(lookback_options INTERFACE -fopenmp-simd)
endif()
if(LOOKBACK_WERROR)
  target_compile_options(lookback_options INTERFACE -Werror)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(lookback_options INTERFACE -O3)
else()
  target_compile_options(lookback_options INTERFACE -O1 -g -fno-omit-frame-pointer)
endif()
if(LOOKBACK_SANITIZE)
  target_compile_options(lookback_options INTERFACE -fsanitize=${LOOKBACK_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(lookback_options INTERFACE -fsanitize=${LOOKBACK_SANITIZE})
  # The sanitizers' runtimes are not up yet when the loader resolves cloned functions.
  target_compile_definitions(lookback_options INTERFACE LB_NO_TARGET_CLONES)
endif()
if(LOOKBACK_COVERAGE)
  target_compile_options(lookback_options INTERFACE --coverage)
  target_link_options(lookback_options INTERFACE --coverage)
endif()
