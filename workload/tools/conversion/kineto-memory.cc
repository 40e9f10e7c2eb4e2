// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kineto-event.h"
#include "workload/tools/conversion/kineto-values.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using kineto::FindMember;
using nlohmann::json;

/// c10::DeviceType::CPU; all others are accelerators.
constexpr int64_t HOST_DEVICE_TYPE = 0;

/// More than any device has; sums of two stay in 64 bits.
constexpr int64_t MOST_BYTES = int64_t{1} << 60;

int64_t
NeedWhole(const json& arguments, const char* member)
{
    const json* const value = FindMember(arguments, member);
    if (value == nullptr || !value->is_number_integer())
    {
        throw KinetoEventError(fmt::format("has no whole number \"{}\" among its args", member));
    }
    const auto whole = value->get<int64_t>();
    // A number without a sign that passes 63 bits has become a negative one.
    if ((value->is_number_unsigned() && whole < 0) || whole > MOST_BYTES || whole < -MOST_BYTES)
    {
        throw KinetoEventError(
            fmt::format("has \"{}\" {}, which is out of range", member, value->dump()));
    }
    return whole;
}

} // namespace

std::optional<KinetoMemoryEvent>
ReadKinetoMemory(const json& value)
{
    static const json NONE = json::object();
    const json* const name = FindMember(value, "name");
    if (name == nullptr || *name != "[memory]")
    {
        return std::nullopt;
    }
    const json* const args = FindMember(value, "args");
    const json& arguments = args != nullptr && args->is_object() ? *args : NONE;
    if (NeedWhole(arguments, "Device Type") == HOST_DEVICE_TYPE)
    {
        return std::nullopt;
    }
    KinetoMemoryEvent event;
    event.memory.ns = ReadKinetoNanos(value, "ts");
    event.memory.device = NeedWhole(arguments, "Device Id");
    event.memory.changeBytes = NeedWhole(arguments, "Bytes");
    event.hasTotals = FindMember(arguments, "Total Allocated") != nullptr;
    if (event.hasTotals)
    {
        event.memory.allocatedBytes = NeedWhole(arguments, "Total Allocated");
        event.memory.reservedBytes = NeedWhole(arguments, "Total Reserved");
    }
    return event;
}

} // namespace nadi
