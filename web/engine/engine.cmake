# The library as WebAssembly, and pages that carry it (docs/adr/0024-pages.md).
include(cmake/rooms.cmake)
pkg_check_modules(ENGINE_CJSON REQUIRED IMPORTED_TARGET libcjson)
set(ENGINE ${PROJECT_SOURCE_DIR}/web/engine)
set(PAGES ${PROJECT_SOURCE_DIR}/build/playground)

# FILE.js and FILE.wasm, of these sources and what they need of the library and the commands: lookback_engine(TARGET FILE
# SOURCE...).
function(lookback_engine TARGET FILE)
  add_executable(${TARGET} EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${TARGET} PRIVATE ${PROJECT_SOURCE_DIR}/web)
  set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME ${FILE})
  target_link_libraries(${TARGET} PRIVATE app_rooms lesson_reviews lookback lookback_inside lookback_options PkgConfig::ENGINE_CJSON)
  target_link_options(${TARGET} PRIVATE -O3 -sMODULARIZE=1 -sEXPORT_NAME=createLookback -sENVIRONMENT=worker,node
    -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 -sDYNAMIC_EXECUTION=0 -sEXPORTED_RUNTIME_METHODS=ccall,FS,ENV --no-entry)
endfunction()
file(GLOB ENGINE_SOURCES CONFIGURE_DEPENDS ${ENGINE}/*.c)
list(REMOVE_ITEM ENGINE_SOURCES ${ENGINE}/workbench.c)
lookback_engine(lookback_wasm lookback ${ENGINE_SOURCES})
lookback_engine(workbench_wasm workbench_engine ${ENGINE}/workbench.c ${ENGINE}/report.c)

# What a page carries: the library, and the worker that runs it: lookback_engine_html(HTML TARGET FILE WORKER).
function(lookback_engine_html HTML TARGET FILE WORKER)
  set(built ${PROJECT_BINARY_DIR}/${FILE})
  add_custom_command(OUTPUT ${HTML} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D IN=${ENGINE}/engine.html -D OUT=${HTML}
      -D "PACKED=WASM=${built}.wasm;WORKER=${built}.js+${WORKER}" -P ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake
    DEPENDS ${TARGET} ${ENGINE}/engine.html ${WORKER} ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake)
endfunction()
set(ENGINE_HTML ${PAGES}/engine.html)
lookback_engine_html(${ENGINE_HTML} lookback_wasm lookback ${ENGINE}/worker.js)

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
set(ENGINE_HTML ${PROJECT_BINARY_DIR}/workbench_engine.html)
lookback_engine_html(${ENGINE_HTML} workbench_wasm workbench_engine ${ENGINE}/workbench_worker.js)
lookback_engine_page(workbench workbench.html SPANISH=${DATA}/spanish_train.tsv ENGLISH=${DATA}/sentences.en
  GERMAN=${DATA}/sentences.de)
add_custom_target(workbench DEPENDS ${PAGES}/workbench.html)
add_custom_target(playground DEPENDS ${PAGES}/index.html ${PAGES}/lessons.html)
