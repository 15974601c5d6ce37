# The library as WebAssembly, and pages that carry it (docs/adr/0024-pages.md).
include(cmake/web.cmake)
pkg_check_modules(ENGINE_CJSON REQUIRED IMPORTED_TARGET libcjson)
set(ENGINE ${PROJECT_SOURCE_DIR}/web/engine)
set(PAGES ${PROJECT_SOURCE_DIR}/build/playground)

# lookback.js and lookback.wasm.
file(GLOB ENGINE_SOURCES CONFIGURE_DEPENDS ${ENGINE}/*.c)
add_executable(lookback_wasm EXCLUDE_FROM_ALL ${ENGINE_SOURCES})
target_sources(lookback_wasm PRIVATE ${PROJECT_SOURCE_DIR}/apps/report/pair.c
  ${PROJECT_SOURCE_DIR}/apps/report/data.c ${PROJECT_SOURCE_DIR}/apps/apply/answer.c)
target_include_directories(lookback_wasm PRIVATE ${PROJECT_SOURCE_DIR}/apps)
set_target_properties(lookback_wasm PROPERTIES OUTPUT_NAME lookback)
target_link_libraries(lookback_wasm PRIVATE lesson_reviews lookback lookback_inside lookback_options PkgConfig::ENGINE_CJSON)
target_link_options(lookback_wasm PRIVATE -O3 -sMODULARIZE=1 -sEXPORT_NAME=createLookback -sENVIRONMENT=worker,node
  -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 -sDYNAMIC_EXECUTION=0 -sEXPORTED_RUNTIME_METHODS=ccall,FS --no-entry)

# What a page carries: the library, and the worker that runs it.
set(ENGINE_HTML ${PAGES}/engine.html)
add_custom_command(OUTPUT ${ENGINE_HTML} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D IN=${ENGINE}/engine.html -D OUT=${ENGINE_HTML}
    -D "PACKED=WASM=${PROJECT_BINARY_DIR}/lookback.wasm;WORKER=${PROJECT_BINARY_DIR}/lookback.js+${ENGINE}/worker.js"
    -P ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake
  DEPENDS lookback_wasm ${ENGINE}/engine.html ${ENGINE}/worker.js ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake)

# web/FOLDER/ as one file that carries the library, and files in place of @NAME@: lookback_engine_page(FOLDER FILE
# NAME=PATH...).
function(lookback_engine_page FOLDER FILE)
  set(joined ${PROJECT_BINARY_DIR}/${FOLDER}.html)
  list(TRANSFORM ARGN REPLACE "^[A-Z]+=" "" OUTPUT_VARIABLE carried)
  lookback_join_page(${FOLDER} ${joined})
  add_custom_command(OUTPUT ${PAGES}/${FILE} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D IN=${joined} -D OUT=${PAGES}/${FILE} -D TEXTS=ENGINE=${ENGINE_HTML}
      -D "PACKED=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake
    DEPENDS ${joined} ${ENGINE_HTML} ${carried} ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake)
endfunction()

set(DATA ${PROJECT_SOURCE_DIR}/examples/data)
lookback_engine_page(playground index.html)
lookback_engine_page(lessons lessons.html VECTORS=${DATA}/vectors.safetensors
  SCORES=${DATA}/06_three_scores.safetensors TRANSLATION=${DATA}/07_translation.safetensors
  TEXT=${DATA}/08_text.safetensors REVIEWS=${DATA}/reviews.txt TRANSFORMER=${DATA}/10_transformer.safetensors)
add_custom_target(playground DEPENDS ${PAGES}/index.html ${PAGES}/lessons.html)
