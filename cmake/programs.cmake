set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# To build only programs, use the targets programs (all in bin/), lessons or benchmarks. None of them needs double.
add_custom_target(programs)
add_custom_target(lessons)
add_custom_target(benchmarks)
add_dependencies(programs lessons benchmarks)

# apps/ has a room for each thing that a user does; apps/lookback.c is the program over all of them.
file(GLOB APP_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/*.c ${PROJECT_SOURCE_DIR}/apps/export/onnx/*.c)
set(WEB_REPORT ${PROJECT_BINARY_DIR}/web/report.html)
lookback_join_page(report ${WEB_REPORT})
add_custom_target(web_report DEPENDS ${WEB_REPORT})
add_library(app_page_template OBJECT ${PROJECT_SOURCE_DIR}/apps/report/page_template.S)
target_compile_definitions(app_page_template PRIVATE APP_PAGE_TEMPLATE="${WEB_REPORT}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/report/page_template.S PROPERTIES OBJECT_DEPENDS ${WEB_REPORT})
# The code of an exported model is embedded, file by file: apps/export/kernel/.
file(GLOB APP_KERNEL CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/export/kernel/*.[ch]
  ${PROJECT_SOURCE_DIR}/src/translate/file/lexicon_search.h)
set(KERNEL_FILES "")
foreach(file ${APP_KERNEL})
  get_filename_component(name ${file} NAME)
  string(APPEND KERNEL_FILES "    .asciz \"${name}\"\n    .incbin \"${file}\"\n    .byte 0\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/apps/export/kernel.S.in ${PROJECT_BINARY_DIR}/generated/kernel.S @ONLY)
add_library(app_kernel OBJECT ${PROJECT_BINARY_DIR}/generated/kernel.S)
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/kernel.S PROPERTIES OBJECT_DEPENDS "${APP_KERNEL}")
# It is compiled here for a few models, so that warnings are found before anything is exported: the flags of each.
set(recurrent USES_TANH)
set(first ${recurrent} ATTENDS ATTENDS_FIRST PROJECTS ASKS)
set(last ${recurrent} ATTENDS ATTENDS_LAST DOTS)
set(kernel_additive ${first} ADDITIVE INT8 NORMALIZES LEXICON FINDS_ROWS FOLDS)
set(kernel_coverage ${first} RECALLS SPARSE LSTM BEAM_SEARCH)
set(kernel_location ${first} RECALLS LOCATION SPARSE ENTMAX BF16 NORMALIZES COMPOSES FINDS_ROWS)
set(kernel_multi_head ${last} MULTI_HEAD PROJECTS ASKS SEPARATED TARGET_SEPARATED BACKWARD INT8 BEAM_SEARCH LEXICON
  FINDS_ROWS FOLDS)
set(kernel_scaled_dot ${last} SCALED COMBINES COMBINES_TANH SEPARATED BLANKS TRIMS)
set(kernel_local_m ${last} GENERAL ASKS LOCAL BACKWARD COMBINES SUBWORDS FINDS_ROWS)
set(kernel_local_p ${last} GENERAL ASKS LOCAL PREDICTS COMBINES COMBINES_TANH TRIMS)
set(kernel_none ${recurrent} COMBINES LSTM)
set(kernel_transformer TRANSFORMER ATTENDS DOTS SINUSOIDAL INT8 BEAM_SEARCH)
set(kernel_transformer_learned TRANSFORMER ATTENDS DOTS LEARNED POST_NORM WINDOWED CAPPED USES_TANH)
set(kernel_transformer_relative TRANSFORMER ATTENDS DOTS BIASED BF16 SUBWORDS NORMALIZES FINDS_ROWS)
set(kernel_transformer_rotary TRANSFORMER ATTENDS DOTS ROTATES SPARSE WINDOWED)
foreach(kernel additive coverage location multi_head scaled_dot local_m local_p none transformer transformer_learned
        transformer_relative transformer_rotary)
  add_library(kernel_${kernel} OBJECT ${PROJECT_SOURCE_DIR}/apps/export/kernel/g2p.c)
  set_target_properties(kernel_${kernel} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  list(TRANSFORM kernel_${kernel} APPEND =1)
  target_compile_definitions(kernel_${kernel} PRIVATE ${kernel_${kernel}})
  target_include_directories(kernel_${kernel} PRIVATE ${PROJECT_SOURCE_DIR}/src/translate/file)
  target_compile_options(kernel_${kernel} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${LOOKBACK_WERROR}>:-Werror>)
endforeach()
add_library(app_rooms STATIC ${APP_SOURCES} $<TARGET_OBJECTS:app_page_template>
  $<TARGET_OBJECTS:app_kernel>)
target_include_directories(app_rooms PUBLIC ${PROJECT_SOURCE_DIR}/apps)
target_link_libraries(app_rooms PUBLIC lookback lookback_inside PkgConfig::ZLIB PRIVATE PkgConfig::CJSON PkgConfig::UTF8PROC)
# Where the program looks for lookback_mpi, from its own folder.
file(RELATIVE_PATH APP_MPI_LIBRARY ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/liblookback_mpi.so.${PROJECT_VERSION_MAJOR})
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/console/ranks.c PROPERTIES COMPILE_DEFINITIONS
  "_GNU_SOURCE;APP_MPI_LIBRARY=\"${APP_MPI_LIBRARY}\"")
add_executable(lookback_program ${PROJECT_SOURCE_DIR}/apps/lookback.c)
set_target_properties(lookback_program PROPERTIES OUTPUT_NAME lookback)
target_link_libraries(lookback_program PRIVATE app_rooms PkgConfig::CJSON)
add_dependencies(programs lookback_program)
# GCC's runtime reads the environment when it is loaded. Inside the program, that is after the program has set what it wants
# there (apps/lookback.c), and the program need not start again. All of it, and visible: an OpenBLAS that computes with
# OpenMP must find this runtime, not load half of another.
set(LOOKBACK_OPENMP_INSIDE OFF)
if(LOOKBACK_OPENMP AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT LOOKBACK_SANITIZE)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgomp.a
    OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(inside LINKER:--as-needed,--whole-archive,${archive},--no-whole-archive
    LINKER:--export-dynamic-symbol=GOMP_*,--export-dynamic-symbol=omp_*)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fopenmp)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${inside})
  check_c_source_compiles("#include <omp.h>\nint main(void) { return omp_get_max_threads() == 0; }" LOOKBACK_OPENMP_ARCHIVE)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  set(LOOKBACK_OPENMP_INSIDE ${LOOKBACK_OPENMP_ARCHIVE})
endif()
if(LOOKBACK_OPENMP_INSIDE)
  target_compile_definitions(lookback_program PRIVATE APP_OPENMP_INSIDE)
  target_link_options(lookback_program PRIVATE ${inside})
endif()
if(TARGET lookback_mpi)
  add_dependencies(lookback_program lookback_mpi)
endif()
file(READ ${PROJECT_SOURCE_DIR}/apps/cli/commands.h APP_PROGRAMS)
string(REGEX MATCHALL "X\\([a-z]+, \"" APP_PROGRAMS "${APP_PROGRAMS}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/commands.h)
foreach(link train_sort visualize)
  add_custom_command(TARGET lookback_program POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink lookback ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${link})
endforeach()

# Manual pages are generated by the program from its tables of options, so it runs here, under an emulator if there is
# one. Sanitizers check it in the tests.
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
  add_custom_target(pages ALL DEPENDS ${GENERATED_PAGES})
endif()

# Each bench/NAME.c is a program; shared code is in bench/shared/. tests/proof/bench_floor.c calls the kernels themselves,
# as only tests may.
file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
list(APPEND BENCH_SOURCES ${PROJECT_SOURCE_DIR}/tests/proof/bench_floor.c)
file(GLOB BENCH_SHARED_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/shared/*.c)
add_library(bench_shared STATIC ${BENCH_SHARED_SOURCES})
target_include_directories(bench_shared PUBLIC ${PROJECT_SOURCE_DIR}/bench)
target_compile_definitions(bench_shared PUBLIC BENCH_DIR="${PROJECT_SOURCE_DIR}/bench")
target_link_libraries(bench_shared PUBLIC app_rooms lookback PkgConfig::CJSON)
foreach(source ${BENCH_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE bench_shared)
  add_dependencies(benchmarks ${name})
endforeach()
# The other programs that bench_table times.
add_dependencies(benchmarks lookback_program)

# examples/NN_NAME.c is a lesson: a program over the library alone, with its data in examples/data/. What the programs
# are shown with, such as examples/dates/, has a folder of its own.
file(GLOB LESSON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c ${PROJECT_SOURCE_DIR}/examples/*/*.c)
foreach(source ${LESSON_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE LESSON_DATA="${PROJECT_SOURCE_DIR}/examples/data")
  # All of the engine, so that whatever it needs beside itself is found missing here.
  set(library lookback)
  if(name STREQUAL "own_model")
    set(library $<LINK_LIBRARY:WHOLE_ARCHIVE,lookback_engine>)
  endif()
  target_link_libraries(${name} PRIVATE ${library} lookback_options m)
  add_dependencies(lessons ${name})
endforeach()
target_link_libraries(08_text PRIVATE lesson_reviews)

# exercises/NN_NAME.c is what the reader of a lesson completes and mends, and exercises/check/NN_NAME.c checks it. The
# tests link the archive of the first.
file(GLOB EXERCISE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*.c)
add_custom_target(exercises)
add_library(exercise_report OBJECT
  ${PROJECT_SOURCE_DIR}/exercises/check/main.c ${PROJECT_SOURCE_DIR}/exercises/check/report.c)
target_include_directories(exercise_report PUBLIC ${PROJECT_SOURCE_DIR}/exercises ${PROJECT_SOURCE_DIR}/exercises/check)
target_link_libraries(exercise_report PUBLIC lookback lookback_options m)

# Warnings must not stop a reader who is not done, except where the answer would be a matter of chance.
add_library(exercise_leniency INTERFACE)
target_compile_options(exercise_leniency INTERFACE -Wno-unused-parameter -Wno-error -Werror=uninitialized
  -Werror=return-type $<$<C_COMPILER_ID:GNU>:-Werror=maybe-uninitialized>)

foreach(source ${EXERCISE_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_library(answer_${name} STATIC ${source})
  target_include_directories(answer_${name} PUBLIC ${PROJECT_SOURCE_DIR}/exercises)
  target_link_libraries(answer_${name} PUBLIC lookback lookback_options m)
  target_link_libraries(answer_${name} PRIVATE exercise_leniency)
  add_executable(check_${name} ${PROJECT_SOURCE_DIR}/exercises/check/${name}.c $<TARGET_OBJECTS:exercise_report>)
  target_link_libraries(check_${name} PRIVATE answer_${name} exercise_report)
  set_target_properties(check_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/exercises)
  add_dependencies(exercises check_${name})
endforeach()
