// A sentence and an exit status where the machine has nothing left to work with.
#pragma once

namespace opcat {

// Call it first in main. Makes exit status 3 with a sentence of what would end the program without one: an
// exception for lack of memory where none may be thrown, the end of the stack, a file that grows beyond the
// limit on files. Takes as much stack as the limits allow.
void prepare_for_lack_of_resources();

// Says that there is not enough memory, without using any.
void say_memory_is_short();

} // namespace opcat
