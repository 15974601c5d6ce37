# The npm package, as a folder: the library for prediction as WebAssembly, and the module that calls it
# (docs/adr/0039-exports.md). ./run package packs it.
set(NPM ${PROJECT_SOURCE_DIR}/web/npm)
set(NPM_FOLDER ${PROJECT_BINARY_DIR}/npm/package)
add_executable(lookback_npm EXCLUDE_FROM_ALL ${NPM}/predict.c)
set_target_properties(lookback_npm PROPERTIES OUTPUT_NAME lookback RUNTIME_OUTPUT_DIRECTORY ${NPM_FOLDER})
target_link_libraries(lookback_npm PRIVATE lookback_predict lookback_alone)
target_link_options(lookback_npm PRIVATE -Oz -sMODULARIZE=1 -sEXPORT_ES6=1 -sUSE_ES6_IMPORT_META=0 -sENVIRONMENT=web
  -sINITIAL_MEMORY=16MB -sFILESYSTEM=0 -sMALLOC=emmalloc -sDYNAMIC_EXECUTION=0 -sEXPORTED_RUNTIME_METHODS=UTF8ToString -sEXPORTED_FUNCTIONS=_malloc --no-entry)
configure_file(${NPM}/package.json.in ${NPM_FOLDER}/package.json @ONLY)
set(carried ${NPM}/index.js ${NPM}/index.d.ts ${NPM}/README.md ${NPM}/example.html ${PROJECT_SOURCE_DIR}/LICENSE)
set(licenses ${PROJECT_SOURCE_DIR}/build/wasm-libraries/licenses)
execute_process(COMMAND dpkg-query --show "--showformat=\${Version}" emscripten OUTPUT_VARIABLE emscripten)
add_custom_target(npm_package DEPENDS lookback_npm VERBATIM
  COMMAND ${CMAKE_COMMAND} -E copy ${carried} ${NPM_FOLDER}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${NPM_FOLDER}/licenses
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${licenses} ${NPM_FOLDER}/licenses
  # Of Emscripten, what is in a module: its own code and its C library.
  COMMAND ${AWK} "BEGIN { RS = \"\"; ORS = \"\\n\\n\" } /\\n \\*\\n|libc\\/musl\\/\\*|^License: (Expat|NCSA)/"
    /usr/share/doc/emscripten/copyright > ${NPM_FOLDER}/licenses/emscripten_${emscripten})
