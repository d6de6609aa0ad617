// Warns of classes, of a table or of folders, whose names are likely to mean something else.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

// Returns the cell without blanks around it, and without a plus before a number.
std::string_view without_blanks(std::string_view cell);

// Returns that cell with small letters for 'A' to 'Z'.
std::string folded(std::string_view cell);

// Returns whether the cell is empty or has one of the usual marks of missing values.
bool is_missing_value(std::string_view cell);

// Returns "'Cat' and 'cat'" for each name that differs from an earlier one only in blanks around it
// or capitals.
std::vector<std::string> alike_names(const std::vector<std::string>& names);

// Returns warnings of classes that are probably none, and of more classes than a column is likely
// to have; `rows` has the number of rows of each, and `values` the columns of numbers to be
// predicted.
std::vector<std::string> warnings_of_classes(const std::map<std::string, std::size_t>& rows,
                                             const std::string& label,
                                             const std::vector<std::string>& values);

// Returns a warning for each class that is listed, but that no row has.
std::vector<std::string> warnings_of_absent(const std::map<std::string, std::size_t>& rows,
                                            const std::vector<std::string>& listed,
                                            const std::string& label);

// Returns the warning of a column that `setting` reads, and that is to be predicted, too.
std::string warning_of_leak(const std::string& column, const std::string& setting);

// Returns whether all classes are numbers, and so numerous that numbers are probably to
// be predicted.
bool are_numbers(const std::vector<std::string>& classes);

// Returns warnings of folders of classes that are probably one class.
std::vector<std::string> warnings_of_folders(const std::vector<std::string>& classes);

}  // namespace ptp::support
