# titan_c_interface(NAME LIBRARY): the shared library NAME, for other languages. All of the static LIBRARY is in it, and it
# exports what NAME.map, which stands beside the caller's CMakeLists.txt, lists.
function(titan_c_interface name library)
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/${name}.map)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* All code is in ${library}. */\n")
  add_library(${name} SHARED ${source})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    SOVERSION 1
    LINK_DEPENDS ${map})
  target_link_libraries(${name} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${library}>)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map})
endfunction()
