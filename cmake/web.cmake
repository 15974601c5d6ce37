# The page of a report: web/report/ in one file, which `lookback report` fills with data.
file(GLOB WEB_REPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/report/*)
set(WEB_REPORT ${PROJECT_BINARY_DIR}/web/report.html)
add_custom_command(OUTPUT ${WEB_REPORT} VERBATIM
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/web/report -D PAGE=report.html -D ENTRY=main
    -D OUT=${WEB_REPORT} -P ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake
  DEPENDS ${WEB_REPORT_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/join_web.cmake)
add_custom_target(web_report DEPENDS ${WEB_REPORT})
