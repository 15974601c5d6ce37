# exported_symbols.txt lists the exports of the float library. The installed names in double are derived from it. The
# test exported_symbols compares the list with both shared libraries.
set(EXPORTED_SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.txt)
set(LOOKBACK_F64_INCLUDE ${LOOKBACK_GENERATED}/f64_include)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${EXPORTED_SYMBOLS})
file(STRINGS ${EXPORTED_SYMBOLS} names)
# In a library for Windows nothing is hidden: its linker gets a list, without figures.
if(WIN32)
  file(READ ${PROJECT_SOURCE_DIR}/include/lookback/plot.h drawing)
  set(EXPORTS "EXPORTS\n")
  foreach(name IN LISTS names)
    if(NOT drawing MATCHES "[^a-z_]${name}[^a-z_]")
      string(APPEND EXPORTS "${name}\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${LOOKBACK_GENERATED}/lookback.def CONTENT "${EXPORTS}")
endif()
list(TRANSFORM names REPLACE "(.+)" "#define \\1 \\1_f64")
list(JOIN names "\n" definitions)
file(CONFIGURE OUTPUT ${LOOKBACK_F64_INCLUDE}/lookback/f64_names.h @ONLY
  CONTENT "/* Generated: the names of the double library. */\n#ifndef LOOKBACK_F64_NAMES_H\n#define LOOKBACK_F64_NAMES_H\n\n@definitions@\n\n#endif\n")

if(LOOKBACK_SHARED AND LOOKBACK_TEXT AND LOOKBACK_PLOT AND PROJECT_IS_TOP_LEVEL)
  # Writes the list anew, for who has added to the public headers, or taken away.
  add_custom_target(refresh_exported_symbols VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:lookback_shared> -DLIST=${EXPORTED_SYMBOLS} -DREFRESH=ON
      -P ${PROJECT_SOURCE_DIR}/cmake/check_exported_symbols.cmake
    DEPENDS lookback_shared)
endif()
