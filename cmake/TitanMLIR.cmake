# MLIR and LLVM 22, as the shared libraries libMLIR and libLLVM, and the helper
# functions by which each folder of lib/ becomes a library.
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "TITAN is written for LLVM and MLIR 22; found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}. "
    "Install libmlir-22-dev and mlir-22-tools, or pass -DMLIR_DIR=<lib/cmake/mlir of LLVM 22>.")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# LLVM's packages are built without assertions; ours are not (TitanOptions).
set(LLVM_ENABLE_ASSERTIONS OFF)
set(TITAN_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_BINARY_DIR}/include)
separate_arguments(TITAN_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${TITAN_LLVM_DEFINITIONS})

# Archives of MLIR and LLVM, without those of tests and of its C interface, and the library of which Debian installs no link to name it by.
file(GLOB TITAN_LLVM_ARCHIVES ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER TITAN_LLVM_ARCHIVES EXCLUDE REGEX "libMLIR(CAPI|.*Test)|WindowsManifest")
find_library(TITAN_ZSTD NAMES zstd libzstd.so.1)
find_package(ZLIB)
find_package(Threads)
set(static OFF)
if(TITAN_LLVM_ARCHIVES MATCHES "libMLIRIR.a" AND TITAN_LLVM_ARCHIVES MATCHES "libLLVMCore.a" AND TITAN_ZSTD AND ZLIB_FOUND AND NOT TITAN_SANITIZE)
  set(static ON)
endif()
option(TITAN_STATIC "titan itself with LLVM and MLIR linked in (tools/titan)" ${static})

# Precompiled headers (those of unit tests are in unittests/CMakeLists.txt): titan_pch holds MLIR's core headers and the titan dialect;
# titan_lowering_pch the dialects of LLVM IR, too, which are the heaviest of MLIR's.
function(titan_make_pch name header)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "// Holds a precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  add_dependencies(${name} TitanDialectIncGen)
endfunction()
titan_make_pch(titan_pch Pch.h)
target_compile_options(titan_pch PRIVATE -fno-exceptions)
titan_make_pch(titan_lowering_pch LoweringPch.h)

# titan_mlir_library(NAME sources... [PCH pch] LINK libs... DEPENDS targets...): a static library that sees MLIR. As LLVM it
# is built without exceptions; with titan_lowering_pch they are on, since the simulator of Triton's programs has its own.
function(titan_mlir_library name)
  cmake_parse_arguments(ARG "" "PCH" "LINK;DEPENDS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH titan_pch)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
  if(ARG_PCH STREQUAL titan_pch)
    target_compile_options(${name} PRIVATE -fno-exceptions)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# titan_op_shards(DIALECT count result): the definitions of a dialect's operations take more than a
# minute to compile, so they are `count` files (-op-shard-count in its folder of include/).
function(titan_op_shards dialect count result)
  set(helpers) # Parsers and printers that the definitions name.
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/OpHelpers.h)
    set(helpers "#include \"${CMAKE_CURRENT_SOURCE_DIR}/OpHelpers.h\"")
  endif()
  set(files)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${dialect}Ops${index}.cpp)
    configure_file(${CMAKE_SOURCE_DIR}/lib/Dialect/OpShard.cpp.in ${file} @ONLY)
    # Many at once are what the shards are for: no unity build joins them again.
    set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND files ${file})
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# titan_mlir_executable(NAME sources... LINK libs...)
function(titan_mlir_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The precompiled header is position independent (-fPIC), as the libraries are.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC -fno-exceptions)
  target_precompile_headers(${name} REUSE_FROM titan_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
endfunction()

# titan_static_executable(NAME sources...): TITAN's libraries, MLIR and LLVM as archives, at fixed addresses: nothing is relocated when it
# starts, and of MLIR's and LLVM's code that is there what is used. By path, since the targets of TITAN's libraries name libMLIR.so.
function(titan_static_executable name)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  titan_libraries(${CMAKE_SOURCE_DIR}/lib libraries)
  list(REMOVE_ITEM libraries titan-runtime titan-simulator)
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  add_dependencies(${name} ${libraries})
  target_link_options(${name} PRIVATE -no-pie -static-libstdc++ LINKER:--gc-sections,--strip-debug,--as-needed)
  target_link_libraries(${name} PRIVATE
    -Wl,--start-group ${files} ${TITAN_LLVM_ARCHIVES} -Wl,--end-group ZLIB::ZLIB ${TITAN_ZSTD} m dl Threads::Threads)
  # The linker leaves the file in the kernel's cache in small pages; what cp writes lies there in large ones, which are handed out faster:
  # a tenth of the time of a compilation, until the file is read from disk again.
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND cp $<TARGET_FILE:${name}> $<TARGET_FILE:${name}>.copy
    COMMAND ${CMAKE_COMMAND} -E rename $<TARGET_FILE:${name}>.copy $<TARGET_FILE:${name}> VERBATIM)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${files}")
endfunction()

# The libraries of a folder and of those below it.
function(titan_libraries folder result)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(all)
  foreach(target ${found})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(STATIC|SHARED)_LIBRARY$")
      list(APPEND all ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each ${below})
    titan_libraries(${each} more)
    list(APPEND all ${more})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# titan_hosts_plugins(NAME): plug-ins find all of TITAN in the executable
# (titan/Driver/Plugin.h), what it does not use by itself included.
function(titan_hosts_plugins name)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  titan_libraries(${CMAKE_SOURCE_DIR}/lib libraries)
  list(REMOVE_ITEM libraries titan-runtime titan-simulator)
  # By path, since a library may stand but once on a line with WHOLE_ARCHIVE.
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  add_dependencies(${name} ${libraries})
  target_link_options(${name} PRIVATE
    LINKER:--push-state,--whole-archive ${files} LINKER:--pop-state)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${files}")
endfunction()
