# The playground (docs/adr/0025-the-library-in-a-page.md): the library as WebAssembly, and the page in one file.
pkg_check_modules(PLAYGROUND_CJSON REQUIRED IMPORTED_TARGET libcjson)
set(PLAYGROUND ${PROJECT_SOURCE_DIR}/web/playground)

# lookback.js and lookback.wasm.
add_executable(lookback_wasm EXCLUDE_FROM_ALL ${PLAYGROUND}/playground.c)
set_target_properties(lookback_wasm PROPERTIES OUTPUT_NAME lookback)
target_link_libraries(lookback_wasm PRIVATE lookback lookback_options PkgConfig::PLAYGROUND_CJSON)
target_link_options(lookback_wasm PRIVATE -O3 -sMODULARIZE=1 -sEXPORT_NAME=createLookback -sENVIRONMENT=worker,node
  -sFILESYSTEM=1 -sFORCE_FILESYSTEM=1 -sDYNAMIC_EXECUTION=0 -sEXPORTED_RUNTIME_METHODS=ccall,FS --no-entry)
