# The playground (docs/adr/0025-the-library-in-a-page.md): the library as WebAssembly, and the page in one file.
pkg_check_modules(PLAYGROUND_CJSON REQUIRED IMPORTED_TARGET libcjson)
set(PLAYGROUND ${PROJECT_SOURCE_DIR}/web/playground)

# lookback.js and lookback.wasm.
add_executable(lookback_wasm EXCLUDE_FROM_ALL ${PLAYGROUND}/playground.c)
set_target_properties(lookback_wasm PROPERTIES OUTPUT_NAME lookback)
target_link_libraries(lookback_wasm PRIVATE lookback lookback_options PkgConfig::PLAYGROUND_CJSON)
target_link_options(lookback_wasm PRIVATE -O3 -sMODULARIZE=1 -sEXPORT_NAME=createLookback -sENVIRONMENT=worker,node
  -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 -sDYNAMIC_EXECUTION=0 -sEXPORTED_RUNTIME_METHODS=ccall,FS --no-entry)

file(GLOB PLAYGROUND_PAGE CONFIGURE_DEPENDS ${PLAYGROUND}/page/*)
set(PLAYGROUND_JOINED ${PROJECT_BINARY_DIR}/playground.html)
set(PLAYGROUND_HTML ${PROJECT_SOURCE_DIR}/build/playground/index.html)
add_custom_command(OUTPUT ${PLAYGROUND_HTML} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${PLAYGROUND}/page -D PAGE=playground.html -D ENTRY=main -D OUT=${PLAYGROUND_JOINED}
    -P ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake
  COMMAND ${CMAKE_COMMAND} -D IN=${PLAYGROUND_JOINED} -D OUT=${PLAYGROUND_HTML}
    -D "FILES=WASM=${PROJECT_BINARY_DIR}/lookback.wasm;WORKER=${PROJECT_BINARY_DIR}/lookback.js+${PLAYGROUND}/worker/worker.js"
    -P ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake
  DEPENDS lookback_wasm ${PLAYGROUND_PAGE} ${PLAYGROUND}/worker/worker.js ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake
    ${PROJECT_SOURCE_DIR}/cmake/pack_web.cmake)
add_custom_target(playground DEPENDS ${PLAYGROUND_HTML})
