set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Who wants the programs alone builds the targets programs (all in bin/), lessons or benchmarks; none of them needs double.
add_custom_target(programs)
add_custom_target(lessons)
add_custom_target(benchmarks)
add_dependencies(programs lessons benchmarks)

# apps/NAME.c is the command NAME of one program; what they share lies in apps/common/. In bin/ each has its old name, too.
file(GLOB APP_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.c)
file(GLOB APP_COMMON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/common/*.c)
add_library(app_common STATIC ${APP_COMMON_SOURCES})
target_include_directories(app_common PUBLIC ${PROJECT_SOURCE_DIR}/apps)
target_link_libraries(app_common PUBLIC lookback lookback_inside PRIVATE PkgConfig::CJSON PkgConfig::UTF8PROC)
add_executable(lookback_program ${APP_SOURCES})
set_target_properties(lookback_program PROPERTIES OUTPUT_NAME lookback)
target_link_libraries(lookback_program PRIVATE app_common PkgConfig::CJSON)
add_dependencies(programs lookback_program)
file(READ ${PROJECT_SOURCE_DIR}/apps/programs.h APP_PROGRAMS)
string(REGEX MATCHALL "X\\([a-z]+, [a-z0-9_]+," APP_PROGRAMS "${APP_PROGRAMS}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/programs.h)
foreach(row IN LISTS APP_PROGRAMS)
  string(REGEX REPLACE "X\\([a-z]+, ([a-z0-9_]+)," "\\1" old_name "${row}")
  add_custom_command(TARGET lookback_program POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink lookback ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${old_name})
endforeach()

# Manual pages and completions come from the program's own tables of options, so it runs here: under an emulator if there is
# one. Sanitizers watch it in the tests.
set(LOOKBACK_SHARE ${PROJECT_BINARY_DIR}/share)
set(LOOKBACK_GENERATES ON)
if(LOOKBACK_SANITIZE OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  set(LOOKBACK_GENERATES OFF)
endif()
set(GENERATED_PAGES "")
function(lookback_generate file)
  add_custom_command(OUTPUT ${LOOKBACK_SHARE}/${file} VERBATIM
    COMMAND lookback_program generate ${ARGN} > ${LOOKBACK_SHARE}/${file} DEPENDS lookback_program)
  set(GENERATED_PAGES ${GENERATED_PAGES} ${LOOKBACK_SHARE}/${file} PARENT_SCOPE)
endfunction()
if(LOOKBACK_GENERATES)
  file(MAKE_DIRECTORY ${LOOKBACK_SHARE}/man)
  lookback_generate(man/lookback.1 man)
  foreach(row IN LISTS APP_PROGRAMS)
    string(REGEX REPLACE "X\\(([a-z]+),.*" "\\1" command "${row}")
    lookback_generate(man/lookback-${command}.1 man ${command})
  endforeach()
  foreach(shell bash zsh fish)
    lookback_generate(lookback.${shell} ${shell})
  endforeach()
  add_custom_target(pages ALL DEPENDS ${GENERATED_PAGES})
endif()

# bench/NAME.c is a program each; what they share lies in bench/shared/.
file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
file(GLOB BENCH_SHARED_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/shared/*.c)
add_library(bench_shared STATIC ${BENCH_SHARED_SOURCES})
target_include_directories(bench_shared PUBLIC ${PROJECT_SOURCE_DIR}/bench)
target_compile_definitions(bench_shared PUBLIC BENCH_DIR="${PROJECT_SOURCE_DIR}/bench")
target_link_libraries(bench_shared PUBLIC app_common lookback PkgConfig::CJSON)
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE bench_shared)
  add_dependencies(benchmarks ${name})
endforeach()
# What bench_table times beside its own kind.
add_dependencies(benchmarks lookback_program)

# examples/NN_NAME.c is a lesson: a program over the library alone, with its data in examples/data/. What the programs are
# shown with, such as examples/dates/, has a folder of its own.
file(GLOB LESSON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c ${PROJECT_SOURCE_DIR}/examples/*/*.c)
foreach(source ${LESSON_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE LESSON_DATA="${PROJECT_SOURCE_DIR}/examples/data")
  target_link_libraries(${name} PRIVATE lookback lookback_options m)
  add_dependencies(lessons ${name})
endforeach()
