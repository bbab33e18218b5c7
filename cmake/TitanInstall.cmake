# cmake --install: tools, libraries, headers with the generated ones and the .td
# files, and the package that find_package(TITAN) reads. tests/OutOfTree builds
# against it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TITAN_RUNTIME_ONLY)
  set(libraries TitanLayout TitanTarget TitanDomain TitanRuntime titan-runtime)
  set(tools titan-launch)
else()
  titan_libraries(${CMAKE_SOURCE_DIR}/lib libraries)
  set(tools titan titan-opt titan-lsp-server titan-mutate titan-launch)
  if(TITAN_STATIC)
    list(APPEND tools titan-plugins)
  endif()
endif()
install(TARGETS ${libraries} ${tools} EXPORT TITANTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/titan ${CMAKE_BINARY_DIR}/include/titan
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def" PATTERN "*.inc"
  PATTERN CMakeFiles EXCLUDE)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/TITAN)
install(EXPORT TITANTargets NAMESPACE TITAN:: DESTINATION ${package})
configure_package_config_file(cmake/TITANConfig.cmake.in TITANConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(TITANConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/TITANConfig.cmake ${CMAKE_BINARY_DIR}/TITANConfigVersion.cmake
  DESTINATION ${package})
