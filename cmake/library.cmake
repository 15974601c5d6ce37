# One source, two precisions: lookback computes in float, lookback_f64 in double.
file(GLOB_RECURSE LOOKBACK_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)
if(LOOKBACK_CORE)
  list(FILTER LOOKBACK_SOURCES INCLUDE REGEX "/src/(tensor|autograd|nn)/|/src/train/optimizer")
endif()
file(GLOB LOOKBACK_OPS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/autograd/ops/*.c)

# <lookback/lookback.h> is src/lookback.h, in the build tree as after installation.
set(LOOKBACK_INCLUDE ${CMAKE_BINARY_DIR}/include)
set(LOOKBACK_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${LOOKBACK_INCLUDE} ${LOOKBACK_GENERATED}/autograd)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src ${LOOKBACK_INCLUDE}/lookback SYMBOLIC)

# The ops' declarations and their registry follow from the files in ops/, so that an op is written in one place.
find_program(AWK awk REQUIRED)
set(OPS_HEADER ${LOOKBACK_GENERATED}/autograd/ops.h)
set(OPS_REFERENCE ${LOOKBACK_GENERATED}/ops.md)
add_custom_command(OUTPUT ${OPS_HEADER} ${OPS_REFERENCE}
  COMMAND ${AWK} -v mode=header -f ${CMAKE_SOURCE_DIR}/cmake/ops.awk ${LOOKBACK_OPS} > ${OPS_HEADER}
  COMMAND ${AWK} -v mode=reference -f ${CMAKE_SOURCE_DIR}/cmake/ops.awk ${LOOKBACK_OPS} > ${OPS_REFERENCE}
  DEPENDS ${LOOKBACK_OPS} ${CMAKE_SOURCE_DIR}/cmake/ops.awk VERBATIM)
add_custom_target(lookback_ops DEPENDS ${OPS_HEADER} ${OPS_REFERENCE})

set(OP_DECLARATIONS "")
set(OP_ENTRIES "")
foreach(source ${LOOKBACK_OPS})
  get_filename_component(family ${source} NAME_WE)
  string(APPEND OP_DECLARATIONS "extern const lb_op_family lb_family_${family};\n")
  string(APPEND OP_ENTRIES "    &lb_family_${family},\n")
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cmake/registry.c.in ${LOOKBACK_GENERATED}/registry.c @ONLY)

if(NOT LOOKBACK_CORE)
  include(cmake/font.cmake)
endif()

function(lookback_library name)
  add_library(${name} STATIC ${LOOKBACK_SOURCES} ${LOOKBACK_GENERATED}/registry.c)
  add_dependencies(${name} lookback_ops)
  target_include_directories(${name} PUBLIC ${LOOKBACK_INCLUDE} ${LOOKBACK_GENERATED} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC lookback_options)
  if(LOOKBACK_BLAS STREQUAL "openblas")
    target_compile_definitions(${name} PRIVATE LB_OPENBLAS)
    target_link_libraries(${name} PRIVATE PkgConfig::OPENBLAS)
  endif()
  if(NOT LOOKBACK_CORE)
    target_link_libraries(${name} PRIVATE PkgConfig::CJSON PkgConfig::STB PkgConfig::UTF8PROC PkgConfig::ZLIB)
    lookback_embed_font(${name})
  endif()
endfunction()

lookback_library(lookback)
lookback_library(lookback_f64)
target_compile_definitions(lookback_f64 PUBLIC LB_REAL_IS_DOUBLE)
