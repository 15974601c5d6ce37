# The commands of the program, for the program itself and for pages: apps/ has a room for each thing that a user does;
# apps/lookback.c is the program over all of them.
enable_language(ASM)
include(cmake/web.cmake)
file(GLOB APP_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/*.c ${PROJECT_SOURCE_DIR}/apps/export/onnx/*.c
  ${PROJECT_SOURCE_DIR}/src/os/${LOOKBACK_OS}/*.c)
list(FILTER APP_SOURCES INCLUDE REGEX "/apps/|${LOOKBACK_OS_OF_PROGRAMS}")
set(drawing "/(console/pictures|figures/(visualize|maps)|compare/intervals)[.]c$")
if(LOOKBACK_PLOT)
  set(drawing "/figures/not_drawn[.]c$")
endif()
list(FILTER APP_SOURCES EXCLUDE REGEX ${drawing})
set(WEB_REPORT ${PROJECT_BINARY_DIR}/web/report.html)
lookback_join_page(report ${WEB_REPORT})
add_custom_target(web_report DEPENDS ${WEB_REPORT})
add_library(app_page_template OBJECT ${PROJECT_SOURCE_DIR}/apps/report/page_template.S)
target_compile_definitions(app_page_template PRIVATE APP_PAGE_TEMPLATE="${WEB_REPORT}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/report/page_template.S PROPERTIES OBJECT_DEPENDS ${WEB_REPORT})
# The code of an exported model is embedded, file by file: apps/export/kernel/.
file(GLOB APP_KERNEL CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/export/kernel/*.[ch]
  ${PROJECT_SOURCE_DIR}/src/translate/file/lexicon_search.h)
set(KERNEL_FILES "")
foreach(file ${APP_KERNEL})
  get_filename_component(name ${file} NAME)
  string(APPEND KERNEL_FILES "    .asciz \"${name}\"\n    .incbin \"${file}\"\n    .byte 0\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/apps/export/kernel.S.in ${PROJECT_BINARY_DIR}/generated/kernel.S @ONLY)
add_library(app_kernel OBJECT ${PROJECT_BINARY_DIR}/generated/kernel.S)
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/kernel.S PROPERTIES OBJECT_DEPENDS "${APP_KERNEL}")
add_library(app_rooms STATIC ${APP_SOURCES} $<TARGET_OBJECTS:app_page_template>
  $<TARGET_OBJECTS:app_kernel>)
target_include_directories(app_rooms PUBLIC ${PROJECT_SOURCE_DIR}/apps)
target_link_libraries(app_rooms PUBLIC lookback lookback_inside PkgConfig::ZLIB PRIVATE PkgConfig::CJSON PkgConfig::UTF8PROC)
# Where the program looks for lookback_mpi, from its own folder.
file(RELATIVE_PATH APP_MPI_LIBRARY ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/liblookback_mpi.so.${PROJECT_VERSION_MAJOR})
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/console/ranks.c PROPERTIES COMPILE_DEFINITIONS
  APP_MPI_LIBRARY="${APP_MPI_LIBRARY}")
