# The files of `cmake --install`. They do not contain their location: the prefix can be moved.
include(CMakePackageConfigHelpers)
set(LOOKBACK_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lookback)

# Everything that is installed, and nothing else. A command that builds a part of it, such as ./run demo, may have come
# before: what is missing is built first, so that nothing is installed by halves.
set(installed lookback lookback_f64)
if(TARGET lookback_mpi)
  list(APPEND installed lookback_mpi)
endif()
if(LOOKBACK_SHARED)
  list(APPEND installed lookback_shared lookback_f64_shared)
endif()
if(LOOKBACK_PROGRAMS)
  list(APPEND installed lookback_program)
endif()
list(APPEND installed ${PREDICT_LIBRARIES})
add_custom_target(installable_engine DEPENDS ${LOOKBACK_ENGINE_LIBRARIES})
add_custom_target(installable DEPENDS installable_engine ${installed})
list(TRANSFORM LOOKBACK_ENGINE_LIBRARIES REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE engine_files)
list(TRANSFORM installed REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE installed_files)
if(LOOKBACK_PROGRAMS AND LOOKBACK_GENERATES)
  add_dependencies(installable pages)
  list(APPEND installed_files ${LOOKBACK_SHARE}/man/lookback.1)
endif()
# A clone and a prefix may both be called lookback. Headers that were installed among the sources would be compiled against.
get_filename_component(sources ${PROJECT_SOURCE_DIR} REALPATH)
install(CODE "
  get_filename_component(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" REALPATH)
  if(prefix STREQUAL \"${sources}\")
    message(FATAL_ERROR \"\${prefix}: found the sources of Lookback, expected another folder, such as --prefix \\\"$HOME/.local\\\"\")
  endif()
  set(target installable_engine)
  set(files \"${engine_files}\")
  if(NOT CMAKE_INSTALL_COMPONENT STREQUAL \"engine\")
    set(target installable)
    list(APPEND files \"${installed_files}\")
  endif()
  foreach(file IN LISTS files)
    if(NOT EXISTS \"\${file}\")
      message(STATUS \"Building what is missing of the libraries and the program in ${PROJECT_BINARY_DIR}\")
      execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target \${target}
        COMMAND_ERROR_IS_FATAL ANY)
      break()
    endif()
  endforeach()" ALL_COMPONENTS)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lookback ${LOOKBACK_GENERATED}/include/lookback
  ${LOOKBACK_F64_INCLUDE}/lookback
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN *.h)
# The component `development` has all of them, and `engine` those of the engine.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/lookback/engine.h engine_headers REGEX "^#include \"")
list(TRANSFORM engine_headers REPLACE ".*\"lookback/(.+)[.]h\"" "\\1")
list(JOIN engine_headers "|" engine_headers)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lookback ${LOOKBACK_GENERATED}/include/lookback
  ${LOOKBACK_F64_INCLUDE}/lookback DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT engine
  FILES_MATCHING REGEX "/(${engine_headers}|engine|op|f64_names)[.]h$")

function(lookback_install target name runtime)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT lookback-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${runtime} NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endfunction()

# An archive lists the names of the libraries that it calls, for CMake and for pkg-config --static. This is enough even
# for a fully static program: BLAS does not call the Fortran library, which OpenBLAS lists for LAPACK.
foreach(part "" ENGINE_)
  set(${part}NAMES ${OpenMP_C_LIB_NAMES} m)
  foreach(module IN LISTS LOOKBACK_${part}MODULES)
    list(PREPEND ${part}NAMES ${${module}_LIBRARIES})
  endforeach()
endforeach()
file(RELATIVE_PATH PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PC ${PREFIX_FROM_PC})

set(libraries lookback lookback_f64)
foreach(precision "" _f64)
  set(LINKED_lookback${precision} ${NAMES})
  set(LINKED_lookback_engine${precision} ${ENGINE_NAMES})
  set(RUNTIME_lookback${precision} runtime)
endforeach()
set(PC_DEFINITION_lookback_f64 " -DLB_REAL_IS_DOUBLE")
set(PC_DEFINITION_lookback_engine_f64 " -DLB_REAL_IS_DOUBLE")
set(PC_NOTE_lookback_f64 " (in double precision)")
set(PC_NOTE_lookback_engine " (the engine)")
set(PC_NOTE_lookback_engine_f64 " (the engine, in double precision)")
if(LOOKBACK_PREDICT)
  list(APPEND libraries lookback_predict)
  set(PC_NOTE_lookback_predict " (only what applies a model)")
  set(LINKED_lookback_predict ${PREDICT_BESIDE})
  set(RUNTIME_lookback_predict predict)
endif()
foreach(library IN LISTS libraries)
  lookback_install(${library} ${library}_static ${RUNTIME_${library}})
  if(LOOKBACK_SHARED)
    lookback_install(${library}_shared ${library} ${RUNTIME_${library}})
  endif()
endforeach()
foreach(library IN LISTS libraries LOOKBACK_ENGINE_LIBRARIES)
  target_link_libraries(${library} INTERFACE "$<INSTALL_INTERFACE:${LINKED_${library}}>")
  list(TRANSFORM LINKED_${library} PREPEND -l OUTPUT_VARIABLE LIBS_PRIVATE)
  list(JOIN LIBS_PRIVATE " " LIBS_PRIVATE)
  set(LIBS "-l${library}")
  if(library IN_LIST LOOKBACK_ENGINE_LIBRARIES) # always an archive
    string(APPEND LIBS " ${LIBS_PRIVATE}")
    set(LIBS_PRIVATE "")
  endif()
  set(PC_DEFINITION "${PC_DEFINITION_${library}}")
  set(PC_NOTE "${PC_NOTE_${library}}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/lookback.pc.in ${LOOKBACK_GENERATED}/${library}.pc @ONLY)
  install(FILES ${LOOKBACK_GENERATED}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

install(EXPORT lookback-targets NAMESPACE lookback:: DESTINATION ${LOOKBACK_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lookback-config.cmake.in
  ${LOOKBACK_GENERATED}/lookback-config.cmake INSTALL_DESTINATION ${LOOKBACK_CMAKE_DIR})
# Before version 1, a minor version may break users.
write_basic_package_version_file(${LOOKBACK_GENERATED}/lookback-config-version.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS ${LOOKBACK_ENGINE_LIBRARIES} EXPORT lookback-engine-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS ${LOOKBACK_ENGINE_LIBRARIES} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine)
install(FILES ${LOOKBACK_GENERATED}/lookback_engine.pc ${LOOKBACK_GENERATED}/lookback_engine_f64.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT engine)
foreach(component development engine)
  install(EXPORT lookback-engine-targets NAMESPACE lookback:: DESTINATION ${LOOKBACK_CMAKE_DIR} COMPONENT ${component})
  install(FILES ${LOOKBACK_GENERATED}/lookback-config.cmake ${LOOKBACK_GENERATED}/lookback-config-version.cmake
    DESTINATION ${LOOKBACK_CMAKE_DIR} COMPONENT ${component})
endforeach()

# In an export of its own: a package without it stays whole.
if(TARGET lookback_mpi)
  install(TARGETS lookback_mpi EXPORT lookback-mpi-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
  install(EXPORT lookback-mpi-targets NAMESPACE lookback:: DESTINATION ${LOOKBACK_CMAKE_DIR} COMPONENT mpi)
endif()
if(LOOKBACK_PROGRAMS)
  install(TARGETS lookback_program DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  # Not the folder: it keeps the page of a command that is gone.
  install(FILES ${GENERATED_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
  set(scripts ${PROJECT_SOURCE_DIR}/apps/generate)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${scripts}/lookback.bash RENAME lookback DESTINATION ${share}/bash-completion/completions COMPONENT programs)
  install(FILES ${scripts}/lookback.zsh RENAME _lookback DESTINATION ${share}/zsh/site-functions COMPONENT programs)
  install(FILES ${scripts}/lookback.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT programs)
endif()
if(PROJECT_IS_TOP_LEVEL)
  # What a user of the library reads, in the folders of the checkout, so that links hold; a core does without.
  set(documentation ${CMAKE_INSTALL_DATADIR}/doc/lookback)
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    DESTINATION ${documentation} COMPONENT development OPTIONAL)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/exercises
    DESTINATION ${documentation} COMPONENT development OPTIONAL
    FILES_MATCHING REGEX "[.](md|png|c|mjs|py|sh|tsv|txt|safetensors)$"
    PATTERN site EXCLUDE PATTERN adr EXCLUDE PATTERN tour.md EXCLUDE PATTERN __pycache__ EXCLUDE)
  include(cmake/package.cmake)
endif()
