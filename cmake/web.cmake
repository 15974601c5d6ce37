# Pages in one file each, joined from web/.

# Joins web/FOLDER/PAGE.html to OUT; see join_web.cmake.
function(lookback_join_page PAGE OUT)
  set(folder ${PROJECT_SOURCE_DIR}/web/${PAGE})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/* ${PROJECT_SOURCE_DIR}/web/common/* ${PROJECT_SOURCE_DIR}/web/report/*)
  add_custom_command(OUTPUT ${OUT} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PAGE=${PAGE}.html -D ENTRY=main -D OUT=${OUT}
      -P ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake)
endfunction()
