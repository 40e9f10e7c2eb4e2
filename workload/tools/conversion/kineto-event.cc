// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kineto-event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace nadi
{

namespace
{

using nlohmann::json;
using EventKind = KinetoEvent::Kind;

constexpr int64_t NANOS_PER_MICRO = 1000;
constexpr int64_t MOST_MICROS = std::numeric_limits<int64_t>::max() / NANOS_PER_MICRO / 2;

const json*
FindMember(const json& object, const char* member)
{
    const auto found = object.find(member);
    return found == object.end() ? nullptr : &*found;
}

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

/// A time of microseconds, perhaps with a fraction, as nanoseconds.
int64_t
ReadNanos(const json& object, const char* member)
{
    const json& value = NeedMember(object, member);
    const double micros = value.is_number() ? value.get<double>() : NAN;
    if (!(std::abs(micros) <= static_cast<double>(MOST_MICROS)))
    {
        throw KinetoEventError(
            fmt::format("\"{}\" is no time in microseconds, but {}", member, value.dump()));
    }
    if (value.is_number_integer())
    {
        return value.get<int64_t>() * NANOS_PER_MICRO;
    }
    // Apart, because the whole has more digits than a double holds.
    const double whole = std::floor(micros);
    return static_cast<int64_t>(whole) * NANOS_PER_MICRO +
           std::llround((micros - whole) * double{NANOS_PER_MICRO});
}

/// A whole number, perhaps written as text; absent for anything else, -1 among it.
std::optional<uint64_t>
ToCount(const json* value)
{
    if (value != nullptr && value->is_number_unsigned())
    {
        return value->get<uint64_t>();
    }
    if (value == nullptr || !value->is_string())
    {
        return std::nullopt;
    }
    const auto& text = value->get_ref<const std::string&>();
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    return isNumber && !text.empty() ? std::optional(number) : std::nullopt;
}

std::optional<uint32_t>
ToSmallCount(const json* value)
{
    const std::optional<uint64_t> count = ToCount(value);
    return count && *count <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*count))
                                         : std::nullopt;
}

template <class Number>
std::vector<Number>
ToList(const json* value)
{
    if (value == nullptr)
    {
        return {};
    }
    const json list = value->is_string()
                          ? json::parse(value->get_ref<const std::string&>(), nullptr, false)
                          : *value;
    std::vector<Number> numbers;
    if (!list.is_array())
    {
        return {};
    }
    for (const json& number : list)
    {
        if (!number.is_number_unsigned() ||
            number.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<Number>::max()))
        {
            return {};
        }
        numbers.push_back(number.get<Number>());
    }
    return numbers;
}

std::string
TextOf(const json* value)
{
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

/// The ranks of a group that are evenly spaced, where the list itself is too long for the trace.
std::vector<uint32_t>
ReadSpacedRanks(const json& arguments, std::optional<uint32_t> size)
{
    const auto start = ToSmallCount(FindMember(arguments, "Global rank start"));
    const auto stride = ToSmallCount(FindMember(arguments, "Global rank stride"));
    std::vector<uint32_t> ranks;
    constexpr uint32_t most = 1U << 24;
    const bool isKnown = start && stride && size && *stride > 0 && *size <= most;
    for (uint64_t place = 0; isKnown && place < *size; ++place)
    {
        const uint64_t rank = *start + place * *stride;
        if (rank > most)
        {
            return {};
        }
        ranks.push_back(static_cast<uint32_t>(rank));
    }
    return ranks;
}

std::optional<uint64_t>
MultiplyCounts(std::optional<uint64_t> count, std::optional<uint64_t> bytes)
{
    const bool fits = count && bytes && *count <= std::numeric_limits<int64_t>::max() / *bytes;
    return fits ? std::optional(*count * *bytes) : std::nullopt;
}

void
ReadPartner(const json& arguments, PytorchCall& call)
{
    const bool isSend = call.kind == PytorchCall::Kind::Send;
    const bool isReceive = call.kind == PytorchCall::Kind::Receive;
    if (isSend || isReceive)
    {
        call.partnerRank = ToSmallCount(FindMember(arguments, isSend ? "Dst Rank" : "Src Rank"));
    }
    // Of other collectives it is the rank itself.
    if (isSend || isReceive || (call.type && HasRoot(*call.type)))
    {
        call.partnerPlace = ToSmallCount(FindMember(arguments, "Rank"));
    }
}

void
ReadSynchronization(const json& arguments, KinetoEvent& event)
{
    event.awaitedStream = ToSmallCount(FindMember(arguments, "wait_on_stream"));
    event.awaitedCorrelation = ToCount(FindMember(arguments, "wait_on_cuda_event_record_corr_id"));
    event.stream = ToSmallCount(FindMember(arguments, "stream")).value_or(0);
}

void
ReadHostEvent(const json& value, const json& arguments, KinetoEvent& event)
{
    const json& thread = NeedMember(value, "tid");
    if (!thread.is_number_integer())
    {
        throw KinetoEventError("\"tid\" is no number of a thread, but " + thread.dump());
    }
    event.thread = thread.get<int64_t>();
    if (event.kind == EventKind::Runtime)
    {
        return;
    }
    event.recordFunction = ToCount(FindMember(arguments, "Record function id"));
    // Steps that no operator of the forward pass belongs to have no thread of one either.
    event.isBackward = ToCount(FindMember(arguments, "Fwd thread id")).value_or(0) > 0 ||
                       event.name.starts_with("autograd::engine::evaluate_function");
    event.call = event.name == "record_param_comms" ? ReadKinetoCall(arguments)
                                                    : ReadKinetoRange(event.name, arguments);
}

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

std::optional<EventKind>
FindKinetoKind(const std::string& category)
{
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
    event.startNs = ReadNanos(value, "ts");
    const int64_t duration = ReadNanos(value, "dur");
    if (duration < 0)
    {
        throw KinetoEventError("has a negative \"dur\"");
    }
    event.endNs = event.startNs + duration;
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

std::vector<uint32_t>
ReadRankList(const json& value)
{
    return ToList<uint32_t>(&value);
}

std::optional<PytorchCall>
ReadKinetoCall(const json& arguments)
{
    const std::string name = TextOf(FindMember(arguments, "Collective name"));
    if (name.empty())
    {
        return std::nullopt;
    }
    PytorchCall call = ParseCallName(name);
    const auto elementBytes = FindElementBytes(TextOf(FindMember(arguments, "dtype")));
    call.inputBytes = MultiplyCounts(ToCount(FindMember(arguments, "In msg nelems")), elementBytes);
    call.outputBytes =
        MultiplyCounts(ToCount(FindMember(arguments, "Out msg nelems")), elementBytes);
    call.inputSplits = ToList<int64_t>(FindMember(arguments, "In split size"));
    call.outputSplits = ToList<int64_t>(FindMember(arguments, "Out split size"));
    const std::string group = TextOf(FindMember(arguments, "Process Group Name"));
    call.group = group.empty() ? std::nullopt : std::optional(group);
    call.groupSize = ToSmallCount(FindMember(arguments, "Group size"));
    call.ranks = ToList<uint32_t>(FindMember(arguments, "Process Group Ranks"));
    if (call.ranks.empty())
    {
        call.ranks = ReadSpacedRanks(arguments, call.groupSize);
    }
    ReadPartner(arguments, call);
    return call;
}

std::optional<PytorchCall>
ReadKinetoRange(const std::string& name, const json& arguments)
{
    if (!IsCommunicationKernel(name))
    {
        return std::nullopt;
    }
    PytorchCall call = ParseCallName(name);
    const json* const shapes = FindMember(arguments, "Input Dims");
    const json* const types = FindMember(arguments, "Input type");
    if (shapes == nullptr || types == nullptr || !shapes->is_array() || !types->is_array() ||
        shapes->size() != 1 || types->size() != 1)
    {
        return call;
    }
    std::optional<uint64_t> elements = 1;
    for (const uint64_t size : ToList<uint64_t>(&shapes->front()))
    {
        elements = size == 0 ? 0 : MultiplyCounts(elements, size);
    }
    const bool isTensor = shapes->front().is_array() && !shapes->front().empty();
    call.inputBytes = isTensor ? MultiplyCounts(elements, FindElementBytes(TextOf(&types->front())))
                               : std::nullopt;
    return call;
}

} // namespace nadi
