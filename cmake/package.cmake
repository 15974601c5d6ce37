# Debian packages, built by cpack from a build of the preset `release`. `./run package` builds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Lookback authors")
set(CPACK_PACKAGE_CONTACT "The Lookback authors <noreply@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs runtime predict development)
if(TARGET lookback_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
# Each release has libraries of its own: 0.3.0-1~deb12 is older than 0.3.0-1~deb13.
cmake_host_system_information(RESULT distribution QUERY DISTRIB_INFO)
string(REPLACE debian deb CPACK_DEBIAN_PACKAGE_RELEASE "1~${distribution_ID}${distribution_VERSION_ID}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# dpkg-shlibdeps finds the packages that a program or a library depends on.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME lookback)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "liblookback-mpi${PROJECT_VERSION_MAJOR}, openmpi-bin")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "The program: trains, predicts, evaluates, and shows its attention.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME liblookback${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Shared libraries, in single and in double precision.")

set(CPACK_DEBIAN_PREDICT_PACKAGE_NAME liblookback-predict${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_PREDICT_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PREDICT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PREDICT_DESCRIPTION "Shared library that only applies models, without what training needs.")

# Its archives need these packages; programs that link the shared library do not.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblookback-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "liblookback${PROJECT_VERSION_MAJOR} (= ${version}), liblookback-predict${PROJECT_VERSION_MAJOR} (= ${version})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libopenblas-dev, libcjson-dev, libutf8proc-dev, zlib1g-dev, libcairo2-dev, libharfbuzz-dev, libfribidi-dev, libfreetype-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers, archives, and what CMake and pkg-config need to find them.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME liblookback-mpi${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_DESCRIPTION "Training on several processes, which the program loads under mpirun.")

# The licence of Lookback, and those of what is part of its libraries, as python/sbom.py reads them.
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
set(parts "")
foreach(package fonts-dejavu-core cjson libutf8proc-dev zlib1g-dev)
  set(library liblookback_predict)
  set(copyright /usr/share/doc/${package}/copyright)
  execute_process(COMMAND dpkg-query --show "--showformat=\${Version} " ${package} OUTPUT_VARIABLE inside ERROR_QUIET)
  if(package STREQUAL "fonts-dejavu-core")
    set(library liblookback)
    set(copyright ${PROJECT_SOURCE_DIR}/cmake/fonts_license.txt)
  elseif(package STREQUAL "cjson") # of toolchains/libraries.sh
    file(GLOB copyright ${PROJECT_SOURCE_DIR}/build/libraries*/licenses/cjson_*)
    string(REGEX REPLACE ";.*" "" copyright "${copyright}") # that of another processor has the same version
    string(REGEX REPLACE ".*_" "" inside "${copyright}")
  endif()
  if(EXISTS "${copyright}")
    file(READ ${copyright} part)
    string(REGEX REPLACE "^([0-9]+:)?([^ ]+).*" "\\2" inside "${inside}") # the first of several architectures
    string(APPEND parts "\n\n${package} ${inside} is part of ${library}:\n\n${part}")
  endif()
endforeach()
file(CONFIGURE OUTPUT copyright @ONLY CONTENT "@license@\n\n@parts@")
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} name)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/copyright COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME})
endforeach()
include(CPack)
