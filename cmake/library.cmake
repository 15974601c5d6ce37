# One source, two precisions: lookback computes in float, lookback_f64 in double. Each is compiled once, and becomes an archive
# and a shared library.
option(LOOKBACK_SHARED "Build the shared libraries beside the archives" ${PROJECT_IS_TOP_LEVEL})

option(LOOKBACK_OPENMP "Compute with several threads" ON)
set(LOOKBACK_BLAS openblas CACHE STRING "Who multiplies what the library's own kernel is not the best for: openblas, or none")
set_property(CACHE LOOKBACK_BLAS PROPERTY STRINGS openblas none)

find_package(PkgConfig REQUIRED)
if(LOOKBACK_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
  set(LOOKBACK_THREADS OpenMP::OpenMP_C)
else()
  # Loops for SIMD need no threads.
  target_compile_options(lookback_options INTERFACE -fopenmp-simd)
endif()
if(LOOKBACK_BLAS STREQUAL "openblas")
  pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
  set(LOOKBACK_BLAS_TARGET PkgConfig::OPENBLAS)
  target_compile_definitions(lookback_options INTERFACE LB_OPENBLAS)
elseif(NOT LOOKBACK_BLAS STREQUAL "none")
  message(FATAL_ERROR "LOOKBACK_BLAS is openblas or none, not ${LOOKBACK_BLAS}")
endif()
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

file(GLOB_RECURSE LOOKBACK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
file(GLOB LOOKBACK_OPS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/autograd/ops/*.c)

# The ops' declarations and their registry follow from the files in ops/, so that an op is written in one place.
set(LOOKBACK_GENERATED ${PROJECT_BINARY_DIR}/generated)
set(LOOKBACK_OPS_HEADER ${LOOKBACK_GENERATED}/include/lookback/ops.h)
set(LOOKBACK_OPS_REFERENCE ${LOOKBACK_GENERATED}/ops.md)
file(MAKE_DIRECTORY ${LOOKBACK_GENERATED}/include/lookback ${LOOKBACK_GENERATED}/f64/lookback)
find_program(AWK awk REQUIRED)
set(OPS_AWK ${PROJECT_SOURCE_DIR}/cmake/ops.awk)
add_custom_command(OUTPUT ${LOOKBACK_OPS_HEADER} ${LOOKBACK_OPS_REFERENCE}
  COMMAND ${AWK} -v mode=header -f ${OPS_AWK} ${LOOKBACK_OPS} > ${LOOKBACK_OPS_HEADER}
  COMMAND ${AWK} -v mode=reference -f ${OPS_AWK} ${LOOKBACK_OPS} > ${LOOKBACK_OPS_REFERENCE}
  DEPENDS ${LOOKBACK_OPS} ${OPS_AWK} VERBATIM)
add_custom_target(lookback_ops DEPENDS ${LOOKBACK_OPS_HEADER} ${LOOKBACK_OPS_REFERENCE})

set(OP_DECLARATIONS "")
set(OP_ENTRIES "")
foreach(source ${LOOKBACK_OPS})
  get_filename_component(family ${source} NAME_WE)
  string(APPEND OP_DECLARATIONS "extern const lb_op_family lb_family_${family};\n")
  string(APPEND OP_ENTRIES "    &lb_family_${family},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/registry.c.in ${LOOKBACK_GENERATED}/registry.c @ONLY)

if(NOT LOOKBACK_CORE)
  include(cmake/font.cmake)
endif()

# What every object of the library, and every test of its inside, is compiled with.
add_library(lookback_inside INTERFACE)
target_include_directories(lookback_inside INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${LOOKBACK_GENERATED}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(lookback_inside INTERFACE lookback_options ${LOOKBACK_THREADS} m)

function(lookback_objects name)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${LOOKBACK_SOURCES} ${LOOKBACK_GENERATED}/registry.c)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  add_dependencies(${name} lookback_ops)
  target_link_libraries(${name} PRIVATE lookback_inside ${LOOKBACK_BLAS_TARGET} PkgConfig::CJSON PkgConfig::STB
    PkgConfig::UTF8PROC PkgConfig::ZLIB)
endfunction()

# A library of these objects; `output` is its name as a file.
function(lookback_library name type output objects)
  add_library(${name} ${type} $<TARGET_OBJECTS:${objects}> $<TARGET_OBJECTS:lookback_font>)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  add_dependencies(${name} lookback_ops)
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${LOOKBACK_GENERATED}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PRIVATE ${LOOKBACK_BLAS_TARGET} PkgConfig::CJSON PkgConfig::UTF8PROC PkgConfig::ZLIB
    ${LOOKBACK_THREADS} m $<BUILD_INTERFACE:lookback_options>)
  add_library(lookback::${name} ALIAS ${name})
endfunction()

# Both libraries can be part of one program: in the double one every function has another name. Those of functions
# inside are read from the float library's objects.
lookback_objects(lookback_objects)
set(F64_NAMES ${LOOKBACK_GENERATED}/f64/lookback/f64_names.h)
add_custom_command(OUTPUT ${F64_NAMES}
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:lookback_objects>" -DOUTPUT=${F64_NAMES}
    -P ${PROJECT_SOURCE_DIR}/cmake/f64_names.cmake
  DEPENDS $<TARGET_OBJECTS:lookback_objects> ${PROJECT_SOURCE_DIR}/cmake/f64_names.cmake
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(lookback_f64_names DEPENDS ${F64_NAMES})

add_library(lookback_f64_inside INTERFACE)
target_compile_definitions(lookback_f64_inside INTERFACE LB_REAL_IS_DOUBLE)
target_include_directories(lookback_f64_inside BEFORE INTERFACE ${LOOKBACK_GENERATED}/f64)
target_link_libraries(lookback_f64_inside INTERFACE lookback_inside)
lookback_objects(lookback_f64_objects)
target_link_libraries(lookback_f64_objects PRIVATE lookback_f64_inside)
add_dependencies(lookback_f64_objects lookback_f64_names)

lookback_library(lookback STATIC lookback lookback_objects)
lookback_library(lookback_f64 STATIC lookback_f64 lookback_f64_objects)
if(LOOKBACK_SHARED)
  lookback_library(lookback_shared SHARED lookback lookback_objects)
  lookback_library(lookback_f64_shared SHARED lookback_f64 lookback_f64_objects)
  target_compile_definitions(lookback_f64_shared INTERFACE LB_REAL_IS_DOUBLE)
endif()
target_compile_definitions(lookback_f64 INTERFACE LB_REAL_IS_DOUBLE)
