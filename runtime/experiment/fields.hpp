// The parts of the schema that readers of an experiment's tables use.

#pragma once

#include "schema/fields.hpp"
#include "schema/key_path.hpp"
#include "schema/kinds.hpp"

namespace ptp::experiment {

using schema::below;
using schema::Entry;
using schema::Field;
using schema::KeyPath;
using schema::Kinds;
using schema::Map;
using schema::Placed;
using schema::Raw;
using schema::RawTable;
using schema::read_all_fields;
using schema::read_fields;
using schema::read_kind;
using schema::Scope;
using schema::write_fields;
using schema::write_kind;

}  // namespace ptp::experiment
