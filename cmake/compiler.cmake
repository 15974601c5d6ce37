# What was compiled before comes from the cache of ccache. The presets name the folder of the checkout, which does not
# matter to it.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  find_program(CCACHE ccache)
  if(CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

# One interface target has the compiler options of all files of the project. It is never exported.
add_library(lookback_options INTERFACE)
target_compile_features(lookback_options INTERFACE c_std_11)
target_compile_options(lookback_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unknown-pragmas
  # Neither changes a value: nothing here reads errno or traps after arithmetic, and both stand in the way of SIMD.
  -fno-math-errno -fno-trapping-math
  # No compiler fuses a*b+c, since they choose differently, and within one binary, too: what is fused is written so.
  -ffp-contract=off
  # Only what the public headers declare is visible outside of a shared library.
  -fvisibility=hidden)
# SIMD loops are not vectorised if they call libm, as all of them do in double, or with little optimisation. A constant of an
# enum without a name is a number like any other; clang 19 warns where it meets a floating one.
target_compile_options(lookback_options INTERFACE
  $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed> $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion>)
# isnan of mingw-w64 is written for all types, and warns of those that it does not use.
if(MINGW)
  target_compile_options(lookback_options INTERFACE -Wno-float-conversion)
endif()
# POSIX and madvise; macOS hides flock and links in the place of files.
target_compile_definitions(lookback_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE
  $<$<PLATFORM_ID:Darwin>:_DARWIN_C_SOURCE>)
if(LOOKBACK_WERROR)
  target_compile_options(lookback_options INTERFACE -Werror)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(lookback_options INTERFACE -O1 -g -fno-omit-frame-pointer)
endif()
# Arithmetic has the -O3 of Release (see library.cmake). The rest is compiled sooner with -O1, and is as fast. It is also as
# fast where it is SMALL.
set(rest $<IF:$<BOOL:$<TARGET_PROPERTY:SMALLEST>>,-Oz,$<IF:$<BOOL:$<TARGET_PROPERTY:SMALL>>,-Os,-O1>>)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(lookback_options INTERFACE -pipe $<$<CONFIG:Release>:${rest}>)
endif()
# Programs open files from strangers. Without optimisation there is nothing to fortify, and sanitizers check more.
if(LOOKBACK_HARDEN AND NOT LOOKBACK_SANITIZE)
  target_compile_options(lookback_options INTERFACE
    -fstack-protector-strong $<$<CONFIG:Release>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=3>)
  if(NOT APPLE)
    target_link_options(lookback_options INTERFACE LINKER:-z,relro,-z,now)
  endif()
endif()
if(LOOKBACK_SANITIZE)
  target_compile_options(lookback_options INTERFACE -fsanitize=${LOOKBACK_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(lookback_options INTERFACE -fsanitize=${LOOKBACK_SANITIZE})
endif()
if(LOOKBACK_SANITIZE STREQUAL "memory")
  target_compile_options(lookback_options INTERFACE -fsanitize-memory-track-origins)
endif()
if(LOOKBACK_COVERAGE)
  target_compile_options(lookback_options INTERFACE --coverage)
  target_link_options(lookback_options INTERFACE --coverage)
endif()
if(LOOKBACK_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LOOKBACK_FUZZ needs clang, which has libFuzzer: use the preset fuzz")
  endif()
  target_compile_options(lookback_options INTERFACE -fsanitize=fuzzer-no-link -O2)
endif()
