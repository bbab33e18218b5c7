# cmake -DOUTPUT=<file> "-DINPUTS=<file> <file>" -P EmbedText.cmake: texts as
# rows {name, contents} of an array, which a .cpp file includes.
separate_arguments(INPUTS UNIX_COMMAND "${INPUTS}")
set(rows "")
foreach(input ${INPUTS})
  file(READ ${input} text)
  get_filename_component(name ${input} NAME)
  string(APPEND rows "  {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by EmbedText.cmake.\n${rows}")
