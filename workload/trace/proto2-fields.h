// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/node-record.h"
#include "workload/trace/wire-reader.h"

namespace nadi
{

/// Takes the fields that nodes of all proto2 generations share: 1 id, 2 name, 3 type, 4 parent.
/// False for any other field.
inline bool
TakeProto2Field(const WireField& field, NodeRecord& record)
{
    if (field.Is(1, WireType::Varint))
    {
        record.id = field.value;
        return true;
    }
    if (field.Is(2, WireType::Bytes))
    {
        record.name = field.bytes;
        return true;
    }
    if (field.Is(3, WireType::Varint))
    {
        record.type = field.value;
        return true;
    }
    if (field.number == 4)
    {
        AppendVarints(field, record.dataDependencies);
        return true;
    }
    return false;
}

} // namespace nadi
