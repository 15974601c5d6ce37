# lookback_predict, for programs that only apply models: the functions of predict_symbols.txt, from the sources of the
# library, on one thread, with its own kernels (docs/adr/0039-exports.md).
set(LOOKBACK_PREDICT OFF)
if(NOT LOOKBACK_TEXT OR LOOKBACK_SANITIZE)
  return()
endif()
set(sources ${LOOKBACK_SOURCES})
set(needless "/apply/why.c$")
if(NOT APPLE) # whose linker asks for all that an object names, not only for what somebody calls
  list(APPEND needless "/src/(metrics|plot|settings|translate/(join|training))/")
endif()
list(JOIN needless "|" needless)
list(FILTER sources EXCLUDE REGEX "${needless}")
lookback_objects(lookback_predict_objects lookback_alone ${sources})
target_compile_definitions(lookback_predict_objects PRIVATE LB_PREDICT)
# Loops and functions are there once, what is jumped to is not aligned, and neither debuggers nor exceptions unwind through
# them. The compiler makes vectors of a loop where the source asks for it, by omp simd, and of few others.
target_compile_options(lookback_predict_objects PRIVATE -fopenmp-simd -ffunction-sections -fdata-sections
  -fno-asynchronous-unwind-tables
  "$<$<C_COMPILER_ID:GNU>:-fno-unswitch-loops;-fno-split-loops;-fno-inline-functions;-falign-jumps=1;-falign-loops=1;-fvect-cost-model=very-cheap>")
set_target_properties(lookback_predict_objects PROPERTIES SMALL ON)

# The linker takes the functions of an archive one by one, and macOS has no tools to do more.
if(EMSCRIPTEN OR APPLE)
  # What a page downloads has small kernels, too.
  set_target_properties(lookback_predict_objects PROPERTIES SMALLEST "${EMSCRIPTEN}")
  lookback_library(lookback_predict STATIC lookback_predict "${LOOKBACK_LINKED}" $<TARGET_OBJECTS:lookback_predict_objects>)
  return()
endif()

# What has an archive is inside. Debian has none of cJSON: for packages, ./run makes one by toolchains/libraries.sh.
set(inside "")
set(PREDICT_BESIDE m)
set(made "")
if(NOT CMAKE_CROSSCOMPILING)
  set(made ${PROJECT_SOURCE_DIR}/build/libraries/lib)
endif()
foreach(module CJSON UTF8PROC ZLIB)
  set(name ${${module}_LIBRARIES})
  find_library(PREDICT_${module} lib${name}.a HINTS ${made} ${${module}_LIBDIR} ${${module}_LIBRARY_DIRS})
  if(PREDICT_${module})
    list(APPEND inside ${PREDICT_${module}})
  else()
    list(PREPEND PREDICT_BESIDE ${name})
  endif()
endforeach()

# One object with all that the functions of the list need. No other name of it can meet one of the program.
set(PREDICT_SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/predict_symbols.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PREDICT_SYMBOLS})
file(STRINGS ${PREDICT_SYMBOLS} names)
list(TRANSFORM names PREPEND "-Wl,-u," OUTPUT_VARIABLE wanted)
set(object ${LOOKBACK_GENERATED}/lookback_predict.o)
add_custom_command(OUTPUT ${object} VERBATIM COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--gc-sections ${wanted} $<TARGET_OBJECTS:lookback_predict_objects> ${inside}
    -o ${object}
  COMMAND ${CMAKE_OBJCOPY} --strip-unneeded --remove-section=.eh_frame --keep-global-symbols=${PREDICT_SYMBOLS} ${object}
  DEPENDS lookback_predict_objects $<TARGET_OBJECTS:lookback_predict_objects> ${inside} ${PREDICT_SYMBOLS})
lookback_library(lookback_predict STATIC lookback_predict "${PREDICT_BESIDE}" ${object})
add_library(lookback::lookback_predict_static ALIAS lookback_predict)
set(PREDICT_LIBRARIES lookback_predict)
if(LOOKBACK_SHARED)
  lookback_library(lookback_predict_shared SHARED lookback_predict "${PREDICT_BESIDE}" ${object})
  add_dependencies(lookback_predict_shared lookback_predict) # only one of them makes the object
  target_link_options(lookback_predict_shared PRIVATE $<$<PLATFORM_ID:Windows>:LINKER:--exclude-libs,ALL>
    $<$<PLATFORM_ID:Linux>:-Wl,-z,noseparate-code>) # no pages of padding
  add_library(lookback::lookback_predict ALIAS lookback_predict_shared)
  list(APPEND PREDICT_LIBRARIES lookback_predict_shared)
else()
  add_library(lookback::lookback_predict ALIAS lookback_predict)
endif()
set_target_properties(${PREDICT_LIBRARIES} PROPERTIES EXCLUDE_FROM_ALL ON)
set(LOOKBACK_PREDICT ON)
