# The parts of the library that can be left out, what each is made of and what it needs. Nothing is looked for that no part needs.
option(LOOKBACK_FILES "Files: texts, models, checkpoints, lb_train; needs cJSON, utf8proc and zlib" ON)
option(LOOKBACK_PLOT "Figures; needs stb, zlib and DejaVu's fonts" ON)

file(GLOB_RECURSE LOOKBACK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
set(FIGURE_SOURCES "/src/plot/")
# Figures are files, too.
set(SHARED_SOURCES "/src/io/file\\.c$")
set(FILE_SOURCES "/src/(io|translate)/"
  "/src/data/"
  "/src/models/(checkpoint|model_config|model_file|model_formats|[a-z0-9]+_format)\\.c$"
  "/src/train/(pair_[a-z]+|resume|trainer|translator)\\.c$")
# The sort task is made of numbers alone.
set(CORE_SOURCES "/src/data/sort_task\\.c$")

# Removes from the sources what one of these expressions says and no one of those behind KEEP.
function(lookback_leave_out)
  cmake_parse_arguments(PARSE_ARGV 0 args "" "" "KEEP")
  list(JOIN args_UNPARSED_ARGUMENTS "|" out)
  list(JOIN args_KEEP "|" keep)
  foreach(source IN LISTS LOOKBACK_SOURCES)
    if(source MATCHES "${out}" AND NOT source MATCHES "${keep}")
      list(REMOVE_ITEM LOOKBACK_SOURCES ${source})
    endif()
  endforeach()
  set(LOOKBACK_SOURCES ${LOOKBACK_SOURCES} PARENT_SCOPE)
endfunction()

find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
set(LOOKBACK_MODULES OPENBLAS)
if(LOOKBACK_FILES)
  pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
  pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
  list(APPEND LOOKBACK_MODULES CJSON UTF8PROC)
elseif(LOOKBACK_PLOT)
  lookback_leave_out(${FILE_SOURCES} KEEP ${CORE_SOURCES} ${SHARED_SOURCES})
else()
  lookback_leave_out(${FILE_SOURCES} KEEP ${CORE_SOURCES})
endif()
if(LOOKBACK_PLOT)
  pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
  include(cmake/font.cmake)
else()
  lookback_leave_out(${FIGURE_SOURCES} KEEP ${CORE_SOURCES})
endif()
if(LOOKBACK_FILES OR LOOKBACK_PLOT)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
  list(APPEND LOOKBACK_MODULES ZLIB)
endif()
