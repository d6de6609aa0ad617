// The idx files that are in memory: the sections of an experiment often cut their samples out of
// the same file, which is read, and kept, once for all of them.
#pragma once

#include "idx_file.hpp"

#include <memory>

// As read_idx_file(), or what an earlier call for the same file returned, as long as a task keeps
// it and the file has not changed. [any]
std::shared_ptr<const IdxFile> shared_idx_file(const IdxRequest& request);
