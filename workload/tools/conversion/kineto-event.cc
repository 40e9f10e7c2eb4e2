// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kineto-event.h"

#include "workload/tools/conversion/kineto-values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nadi
{

namespace
{

using kineto::FindMember;
using kineto::TextOf;
using kineto::ToCount;
using kineto::ToSmallCount;
using nlohmann::json;
using EventKind = KinetoEvent::Kind;

constexpr int64_t NANOS_PER_MICRO = 1000;
// Half of what 63 bits hold in nanoseconds, so that the sum of a start and a duration fits too.
constexpr int64_t MOST_MICROS = std::numeric_limits<int64_t>::max() / NANOS_PER_MICRO / 2;

const json&
NeedMember(const json& object, const char* member)
{
    const json* const value = FindMember(object, member);
    if (value == nullptr)
    {
        throw KinetoEventError(fmt::format("has no \"{}\"", member));
    }
    return *value;
}

void
ReadSynchronization(const json& arguments, KinetoEvent& event)
{
    event.awaitedStream = ToSmallCount(FindMember(arguments, "wait_on_stream"));
    event.awaitedCorrelation = ToCount(FindMember(arguments, "wait_on_cuda_event_record_corr_id"));
    event.stream = ToSmallCount(FindMember(arguments, "stream")).value_or(0);
}

int64_t
ReadThread(const json& value)
{
    const json& thread = NeedMember(value, "tid");
    if (!thread.is_number_integer())
    {
        throw KinetoEventError("\"tid\" is no number of a thread, but " + thread.dump());
    }
    return thread.get<int64_t>();
}

int64_t
ReadDuration(const json& value)
{
    const int64_t duration = ReadKinetoNanos(value, "dur");
    if (duration < 0)
    {
        throw KinetoEventError("has a negative \"dur\"");
    }
    return duration;
}

/// Of a call of the runtime only the thread is read here: its correlation links it with its work.
void
ReadHostEvent(const json& value, const json& arguments, KinetoEvent& event)
{
    event.thread = ReadThread(value);
    if (event.kind == EventKind::Runtime)
    {
        return;
    }
    event.recordFunction = ToCount(FindMember(arguments, "Record function id"));
    event.sequence = ToCount(FindMember(arguments, "Sequence number"));
    // Steps that no operator of the forward pass belongs to have no thread of one either.
    event.isBackward = ToCount(FindMember(arguments, "Fwd thread id")).value_or(0) > 0 ||
                       event.name.starts_with("autograd::engine::evaluate_function");
    event.call = event.name == "record_param_comms" ? ReadKinetoCall(arguments)
                                                    : ReadKinetoRange(event.name, arguments);
}

/// Work without a stream is refused: nothing would tell what it comes after.
void
ReadDeviceEvent(const json& arguments, KinetoEvent& event)
{
    const std::optional<uint32_t> stream = ToSmallCount(FindMember(arguments, "stream"));
    if (!stream)
    {
        throw KinetoEventError("has no \"stream\" among its args");
    }
    event.stream = *stream;
    if (event.kind == EventKind::Kernel && IsCommunicationKernel(event.name))
    {
        event.call = ReadKinetoCall(arguments);
    }
}

} // namespace

int64_t
ReadKinetoNanos(const json& object, const char* member)
{
    const json& value = NeedMember(object, member);
    const double micros = value.is_number() ? value.get<double>() : NAN;
    // Not written with ">", as that would let NaN pass.
    if (!(std::abs(micros) <= static_cast<double>(MOST_MICROS)))
    {
        throw KinetoEventError(
            fmt::format("\"{}\" is no time in microseconds, but {}", member, value.dump()));
    }
    // Whole numbers are read as such: a double would round those above 2^53.
    if (value.is_number_integer())
    {
        return value.get<int64_t>() * NANOS_PER_MICRO;
    }
    // Apart, because the whole has more digits than a double holds.
    const double whole = std::floor(micros);
    return static_cast<int64_t>(whole) * NANOS_PER_MICRO +
           std::llround((micros - whole) * double{NANOS_PER_MICRO});
}

std::optional<EventKind>
FindKinetoKind(const std::string& category)
{
    // Older versions of the profiler write names with capitals.
    static const std::map<std::string, EventKind> KINDS{{"cpu_op", EventKind::Operator},
                                                        {"Operator", EventKind::Operator},
                                                        {"user_annotation", EventKind::Annotation},
                                                        {"cuda_runtime", EventKind::Runtime},
                                                        {"cuda_driver", EventKind::Runtime},
                                                        {"hip_runtime", EventKind::Runtime},
                                                        {"privateuse1_runtime", EventKind::Runtime},
                                                        {"privateuse1_driver", EventKind::Runtime},
                                                        {"Runtime", EventKind::Runtime},
                                                        {"kernel", EventKind::Kernel},
                                                        {"Kernel", EventKind::Kernel},
                                                        {"gpu_memcpy", EventKind::Copy},
                                                        {"Memcpy", EventKind::Copy},
                                                        {"gpu_memset", EventKind::Set},
                                                        {"Memset", EventKind::Set},
                                                        {"cuda_sync", EventKind::Synchronization}};
    const auto found = KINDS.find(category);
    return found == KINDS.end() ? std::nullopt : std::optional(found->second);
}

/// The empty name stands for events without a category.
bool
IsSilentCategory(const std::string& category)
{
    constexpr std::array SILENT{"ac2g",
                                "fwdbwd",
                                "async_cpu_to_gpu",
                                "async_gpu",
                                "Trace",
                                "gpu_user_annotation",
                                "python_function",
                                "cpu_instant_event",
                                "overhead",
                                ""};
    return std::find(SILENT.begin(), SILENT.end(), category) != SILENT.end();
}

KinetoEvent
ReadKinetoEvent(EventKind kind, const json& value)
{
    static const json NONE = json::object();
    const json& name = NeedMember(value, "name");
    const json* const args = FindMember(value, "args");
    const json& arguments = args != nullptr && args->is_object() ? *args : NONE;
    KinetoEvent event{.kind = kind, .name = TextOf(&name)};
    event.startNs = ReadKinetoNanos(value, "ts");
    event.endNs = event.startNs + ReadDuration(value);
    event.correlation = ToCount(FindMember(arguments, "correlation"));
    if (event.IsDeviceWork())
    {
        ReadDeviceEvent(arguments, event);
    }
    else if (kind == EventKind::Synchronization)
    {
        ReadSynchronization(arguments, event);
    }
    else
    {
        ReadHostEvent(value, arguments, event);
    }
    return event;
}

std::optional<KinetoModule>
ReadKinetoModule(const json& value)
{
    std::string name = TextOf(FindMember(value, "name"));
    if (!name.starts_with("nn.Module: "))
    {
        return std::nullopt;
    }
    const int64_t startNs = ReadKinetoNanos(value, "ts");
    return KinetoModule{std::move(name), ReadThread(value), startNs, startNs + ReadDuration(value)};
}

} // namespace nadi
