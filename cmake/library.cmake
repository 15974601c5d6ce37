# One source, two precisions: lookback computes in float, lookback_f64 in double.
file(GLOB_RECURSE LOOKBACK_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.c)
file(GLOB LOOKBACK_OPS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/autograd/ops/*.c)

# <lookback/lookback.h> is src/lookback.h, in the build tree as after installation.
set(LOOKBACK_INCLUDE ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${LOOKBACK_INCLUDE})
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src ${LOOKBACK_INCLUDE}/lookback SYMBOLIC)

include(cmake/font.cmake)

function(lookback_library name)
  add_library(${name} STATIC ${LOOKBACK_SOURCES})
  target_include_directories(${name} PUBLIC ${LOOKBACK_INCLUDE} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC lookback_options PRIVATE PkgConfig::OPENBLAS PkgConfig::CJSON PkgConfig::STB PkgConfig::ZLIB)
  lookback_embed_font(${name})
endfunction()

lookback_library(lookback)
lookback_library(lookback_f64)
target_compile_definitions(lookback_f64 PUBLIC LB_REAL_IS_DOUBLE)
