# One source, two precisions: lookback computes in float, lookback_f64 in double. Each is compiled once, and becomes an
# archive and a shared library. The engine, a part of them, is an archive of its own, of the same objects.
set(shared ${PROJECT_IS_TOP_LEVEL})
if(LOOKBACK_SANITIZE)
  # A sanitizer's runtime is in the program, and a shared library would miss it.
  set(shared OFF)
endif()
option(LOOKBACK_SHARED "Build the shared libraries beside the archives" ${shared})

include(cmake/components.cmake)

# The memory sanitizer does not see what a library writes that was compiled without it.
if(LOOKBACK_SANITIZE STREQUAL "memory" AND LOOKBACK_TEXT)
  add_library(lookback_uninstrumented STATIC ${PROJECT_SOURCE_DIR}/tests/sanitizers/uninstrumented.c)
  target_compile_options(lookback_uninstrumented PRIVATE -fsanitize=memory)
  target_link_libraries(lookback_uninstrumented PUBLIC PkgConfig::UTF8PROC)
  target_link_libraries(lookback_options INTERFACE lookback_uninstrumented)
  foreach(function utf8proc_iterate utf8proc_decompose utf8proc_reencode utf8proc_encode_char)
    target_link_options(lookback_options INTERFACE LINKER:--wrap=${function})
  endforeach()
endif()

file(GLOB LOOKBACK_OPS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/autograd/ops/*.c)
list(FILTER LOOKBACK_OPS EXCLUDE REGEX "_cases[.]c$|/reference_weights[.]c$")

# The declarations of the ops are generated from the files in ops/, so that an op is in one place.
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

# The compiler options of all objects; and those of objects that compute on several threads or by OpenBLAS, and of tests.
add_library(lookback_alone INTERFACE)
target_include_directories(lookback_alone INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${LOOKBACK_GENERATED}/include ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(lookback_alone INTERFACE lookback_options m)
add_library(lookback_inside INTERFACE)
target_link_libraries(lookback_inside INTERFACE lookback_alone ${LOOKBACK_THREADS})
if(LOOKBACK_BLAS STREQUAL "openblas")
  target_compile_definitions(lookback_inside INTERFACE LB_OPENBLAS)
endif()

set(LOOKBACK_ARITHMETIC ${LOOKBACK_SOURCES})
list(FILTER LOOKBACK_ARITHMETIC INCLUDE REGEX "/src/(tensor|autograd)/|/src/base/transcendental[.]c|/src/models/decode/(beam|model)[.]c|/src/train/optimizer[.]c")
set_source_files_properties(${LOOKBACK_ARITHMETIC} PROPERTIES COMPILE_OPTIONS
  $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:SMALLEST>>,-Oz,-O3>>)
# Products take most of the time.
list(FILTER LOOKBACK_ARITHMETIC INCLUDE REGEX "/src/tensor/(gemm|bfloat16|panels)")
set_source_files_properties(${LOOKBACK_ARITHMETIC} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
# The optimiser of clang 16 crashes on it. No Mac has these instructions.
if(APPLE)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/tensor/bfloat16.c APPEND PROPERTY COMPILE_OPTIONS -O0)
endif()
# In a frame that outlives its call, for the address sanitizer to find uses after it, GCC may put vectors of 64 bytes at a
# multiple of 32 (bug 110027).
if(LOOKBACK_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 14)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/tensor/row_attention.c ${PROJECT_SOURCE_DIR}/src/tensor/gemm_avx512.c
    ${PROJECT_SOURCE_DIR}/src/tensor/gemm_portable_avx512.c ${PROJECT_SOURCE_DIR}/src/tensor/bfloat16.c
    APPEND PROPERTY COMPILE_OPTIONS --param=asan-use-after-return=0)
endif()

function(lookback_objects name inside)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  # A module of WebAssembly is at one place, and addresses that may move cost time.
  if(NOT EMSCRIPTEN)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  add_dependencies(${name} lookback_ops)
  target_link_libraries(${name} PRIVATE ${inside})
  # Who builds Lookback among sources of their own may be as strict.
  target_compile_options(${name} PRIVATE -Wcast-qual -Wundef)
  foreach(module IN LISTS LOOKBACK_MODULES)
    target_link_libraries(${name} PRIVATE PkgConfig::${module})
  endforeach()
  if(LOOKBACK_PLOT)
    target_link_libraries(${name} PRIVATE PkgConfig::STB)
  endif()
endfunction()

# The dependencies of the objects as files, because targets of other folders do not see the imported targets of this
# one.
set(LOOKBACK_LINKED ${OpenMP_C_LIBRARIES} m)
set(LOOKBACK_ENGINE_LINKED ${LOOKBACK_LINKED})
foreach(part "" ENGINE_)
  foreach(module IN LISTS LOOKBACK_${part}MODULES)
    list(PREPEND LOOKBACK_${part}LINKED ${${module}_LINK_LIBRARIES})
  endforeach()
endforeach()

# A library of objects; `output` is its name as a file, `linked` what it needs.
function(lookback_library name type output linked)
  add_library(${name} ${type} ${ARGN})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  add_dependencies(${name} lookback_ops)
  target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${LOOKBACK_GENERATED}/include>" $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE "$<BUILD_INTERFACE:${linked};lookback_options>")
  if(type STREQUAL "SHARED" AND NOT WIN32 AND NOT APPLE) # whose linkers ask for it anyway
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

lookback_objects(lookback_engine_objects lookback_inside ${LOOKBACK_ENGINE_SOURCES})
lookback_objects(lookback_objects lookback_inside ${LOOKBACK_OTHER_SOURCES})
set(font "")
if(LOOKBACK_PLOT)
  set(font $<TARGET_OBJECTS:lookback_font>)
endif()
set(engine $<TARGET_OBJECTS:lookback_engine_objects>)
set(objects ${engine} $<TARGET_OBJECTS:lookback_objects> ${font})
lookback_library(lookback STATIC lookback "${LOOKBACK_LINKED}" ${objects})
lookback_library(lookback_engine STATIC lookback_engine "${LOOKBACK_ENGINE_LINKED}" ${engine})

# One program can use both libraries: in the double one, every function has another name. The names of internal
# functions are read from the float library, and those of public functions from the list of exports.
include(cmake/exported_symbols.cmake)
set(F64_NAMES ${LOOKBACK_GENERATED}/f64/lookback/f64_names.h)
add_custom_command(OUTPUT ${F64_NAMES}
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:lookback> -DOUTPUT=${F64_NAMES}
    -P ${PROJECT_SOURCE_DIR}/cmake/f64_names.cmake
  DEPENDS lookback ${PROJECT_SOURCE_DIR}/cmake/f64_names.cmake VERBATIM)
add_custom_target(lookback_f64_names DEPENDS ${F64_NAMES})

add_library(lookback_f64_inside INTERFACE)
target_compile_definitions(lookback_f64_inside INTERFACE LB_REAL_IS_DOUBLE)
target_include_directories(lookback_f64_inside BEFORE INTERFACE ${LOOKBACK_GENERATED}/f64)
# Internal headers come before the public ones that would include it.
target_compile_options(lookback_f64_inside INTERFACE "SHELL:-include \"${F64_NAMES}\"")
target_link_libraries(lookback_f64_inside INTERFACE lookback_inside)
lookback_objects(lookback_engine_f64_objects lookback_f64_inside ${LOOKBACK_ENGINE_SOURCES})
lookback_objects(lookback_f64_objects lookback_f64_inside ${LOOKBACK_OTHER_SOURCES})
add_dependencies(lookback_engine_f64_objects lookback_f64_names)
add_dependencies(lookback_f64_objects lookback_f64_names)

set(f64_engine $<TARGET_OBJECTS:lookback_engine_f64_objects>)
set(f64_objects ${f64_engine} $<TARGET_OBJECTS:lookback_f64_objects> ${font})
lookback_library(lookback_f64 STATIC lookback_f64 "${LOOKBACK_LINKED}" ${f64_objects})
lookback_library(lookback_engine_f64 STATIC lookback_engine_f64 "${LOOKBACK_ENGINE_LINKED}" ${f64_engine})
if(LOOKBACK_SHARED)
  lookback_library(lookback_shared SHARED lookback "${LOOKBACK_LINKED}" ${objects})
  lookback_library(lookback_f64_shared SHARED lookback_f64 "${LOOKBACK_LINKED}" ${f64_objects})
  target_link_options(lookback_shared PRIVATE $<$<PLATFORM_ID:Windows>:${LOOKBACK_GENERATED}/lookback.def>)
endif()
foreach(library lookback_f64 lookback_f64_shared lookback_engine_f64)
  if(TARGET ${library})
    target_compile_definitions(${library} INTERFACE LB_REAL_IS_DOUBLE)
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${LOOKBACK_F64_INCLUDE}>)
  endif()
endforeach()

# The target names for users, the same as in an installed package: the shared library, if there is one.
foreach(library lookback lookback_f64)
  add_library(lookback::${library}_static ALIAS ${library})
  if(LOOKBACK_SHARED)
    add_library(lookback::${library} ALIAS ${library}_shared)
  else()
    add_library(lookback::${library} ALIAS ${library})
  endif()
endforeach()
set(LOOKBACK_ENGINE_LIBRARIES lookback_engine lookback_engine_f64)
foreach(library IN LISTS LOOKBACK_ENGINE_LIBRARIES)
  add_library(lookback::${library} ALIAS ${library})
endforeach()
# In another build, the double library is built only on request.
if(NOT PROJECT_IS_TOP_LEVEL)
  set_target_properties(lookback_f64 ${LOOKBACK_ENGINE_LIBRARIES} PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
