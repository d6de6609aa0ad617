// Images that belong to several classes: a copy of each is in the folder of each of its classes.
#pragma once

#include <folders.hpp>

#include <cstdint>
#include <vector>

// Makes one of files that have one name within their class folders and the same bytes, and returns
// the classes of each that remains: those of its copies, in ascending order. It has the name and
// the target of the first.
std::vector<std::vector<int64_t>> join_copies(ptp::support::ClassFiles& files);
