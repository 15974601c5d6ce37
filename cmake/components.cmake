# The optional parts of the library, with their sources and dependencies. The build only looks for what an enabled part
# needs.
option(LOOKBACK_FILES "Files: texts, models, checkpoints, lb_train; needs cJSON, utf8proc and zlib" ON)
option(LOOKBACK_PLOT "Figures; needs Cairo, FreeType, HarfBuzz, FriBidi, stb, utf8proc, zlib and DejaVu's fonts" ON)
option(LOOKBACK_OPENMP "Compute with several threads" ON)
set(LOOKBACK_BLAS openblas CACHE STRING "Who multiplies what the library's own kernel is not the best for: openblas, or none")
set_property(CACHE LOOKBACK_BLAS PROPERTY STRINGS openblas none)

# The sources of one part, by their paths, and those of them that other parts need, too.
set(FILES_SOURCES "/src/(io|data|settings|translate|models/file)/" "/src/metrics/text\\.c$"
  "/src/train/(examples|fit|optimizer_file|resume|trainer|translator)\\.c$")
set(PLOT_SOURCES "/src/plot/")
# The sort task needs only numbers.
set(kept "/src/data/sort_task\\.c$")
# A figure is a file.
if(LOOKBACK_PLOT)
  list(APPEND kept "/src/io/(file|folder|path|temp_file)\\.c$")
endif()

file(GLOB_RECURSE LOOKBACK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER LOOKBACK_SOURCES EXCLUDE REGEX "/src/mpi/") # a library of its own
list(FILTER LOOKBACK_SOURCES EXCLUDE REGEX "/src/autograd/ops/([a-z_]+_cases|reference_weights)[.]c$") # only tests link them
list(JOIN kept "|" kept)
foreach(part FILES PLOT)
  list(JOIN ${part}_SOURCES "|" own)
  foreach(source IN LISTS LOOKBACK_SOURCES)
    if(NOT LOOKBACK_${part} AND source MATCHES "${own}" AND NOT source MATCHES "${kept}")
      list(REMOVE_ITEM LOOKBACK_SOURCES ${source})
    endif()
  endforeach()
endforeach()

# The engine: models of one's own and their training, with what reads and writes tensors, JSON and bytes
# (docs/adr/0048-an-engine.md). The rest of the library is built on it.
set(LOOKBACK_ENGINE_SOURCES ${LOOKBACK_SOURCES})
list(FILTER LOOKBACK_ENGINE_SOURCES INCLUDE REGEX "/src/(base|tensor|autograd|nn|models|train|io)/")
list(FILTER LOOKBACK_ENGINE_SOURCES EXCLUDE REGEX "/src/io/(lines|plain_copy|scratch_file)[.]c$") # they read texts
set(LOOKBACK_OTHER_SOURCES ${LOOKBACK_SOURCES})
list(REMOVE_ITEM LOOKBACK_OTHER_SOURCES ${LOOKBACK_ENGINE_SOURCES})

if(LOOKBACK_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
  set(LOOKBACK_THREADS OpenMP::OpenMP_C)
else()
  # Loops for SIMD need no threads.
  target_compile_options(lookback_options INTERFACE -fopenmp-simd)
endif()
if(LOOKBACK_FILES OR LOOKBACK_PLOT OR LOOKBACK_BLAS STREQUAL "openblas")
  find_package(PkgConfig REQUIRED)
endif()
if(LOOKBACK_BLAS STREQUAL "openblas")
  pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
  set(LOOKBACK_MODULES OPENBLAS)
elseif(NOT LOOKBACK_BLAS STREQUAL "none")
  message(FATAL_ERROR "LOOKBACK_BLAS is openblas or none, not ${LOOKBACK_BLAS}")
endif()
if(LOOKBACK_FILES)
  pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
  list(APPEND LOOKBACK_MODULES CJSON)
endif()
if(LOOKBACK_PLOT)
  pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
  pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)
  pkg_check_modules(FRIBIDI REQUIRED IMPORTED_TARGET fribidi)
  pkg_check_modules(HARFBUZZ REQUIRED IMPORTED_TARGET harfbuzz)
  pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft cairo-pdf)
  list(APPEND LOOKBACK_MODULES FREETYPE FRIBIDI HARFBUZZ CAIRO)
  include(cmake/font.cmake)
endif()
if(LOOKBACK_FILES OR LOOKBACK_PLOT)
  pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
  list(APPEND LOOKBACK_MODULES UTF8PROC)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
  list(APPEND LOOKBACK_MODULES ZLIB)
endif()
set(LOOKBACK_ENGINE_MODULES ${LOOKBACK_MODULES})
list(FILTER LOOKBACK_ENGINE_MODULES INCLUDE REGEX "^(OPENBLAS|CJSON|ZLIB)$")
