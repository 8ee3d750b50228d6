# Ordinary comments of headers as those that Doxygen reads.
s,^( *)// ,\1/// ,
s,; +// ,; ///< ,
