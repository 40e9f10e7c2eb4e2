// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/tools/conversion/kineto-event.h"
#include "workload/tools/conversion/kineto-trace.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <utility>

namespace nadi
{

namespace
{

using nlohmann::json;

/// Takes a Kineto trace apart while it is parsed, so that no more than one event is in memory as
/// JSON.
class KinetoReader
{
  public:
    explicit KinetoReader(KinetoTrace& trace)
        : m_trace(trace)
    {
    }

    void Read(const std::string& contents)
    {
        const auto callback = [this](int depth, json::parse_event_t event, json& value)
        { return Keep(depth, event, value); };
        try
        {
            // The events are taken by the callback, so only the head of the trace is left. Members
            // of the head may stand behind the events, so it is read afterwards.
            const json rest = json::parse(contents, callback);
            if (!m_hasEvents)
            {
                Fail("has no \"traceEvents\"; a Kineto trace is the JSON that PyTorch's profiler "
                     "exports (export_chrome_trace)");
            }
            ReadHead(rest);
        }
        catch (const json::exception& error)
        {
            Fail(fmt::format("is no Kineto trace ({}); write it anew with the profiler's "
                             "export_chrome_trace",
                             error.what()));
        }
    }

  private:
    [[noreturn]] void Fail(const std::string& problem) const
    {
        throw ConfigError(m_trace.source, problem);
    }

    /// Called for each value that was parsed; the answer false leaves it out of the document.
    /// Members of the trace have depth 1, and events in their list depth 2.
    bool Keep(int depth, json::parse_event_t event, json& value)
    {
        if (depth == 1 && event == json::parse_event_t::key)
        {
            m_isInEvents = value == "traceEvents";
            m_hasEvents = m_hasEvents || m_isInEvents;
            return true;
        }
        const bool isEvent = m_isInEvents && depth == 2 && event == json::parse_event_t::object_end;
        if (isEvent)
        {
            AddEvent(value);
        }
        return !isEvent;
    }

    /// Complete events ("X") tell of time, and instants ("i") of memory. All others, such as arrows
    /// and names of threads, are passed over, but count in the numbers that messages name.
    void AddEvent(const json& event)
    {
        ++m_number;
        const auto phase = event.find("ph");
        if (phase != event.end() && *phase == "i")
        {
            AddInstant(event);
        }
        if (phase == event.end() || *phase != "X")
        {
            return;
        }
        const auto category = event.find("cat");
        const std::string name =
            category != event.end() && category->is_string() ? category->get<std::string>() : "";
        const auto kind = FindKinetoKind(name);
        if (kind)
        {
            AddKnown(*kind, event);
        }
        else if (name == "python_function")
        {
            AddFrame(event);
        }
        else if (!IsSilentCategory(name))
        {
            ++m_trace.skipped[name];
        }
    }

    void AddInstant(const json& event)
    {
        try
        {
            const auto known = ReadKinetoMemory(event);
            if (known && known->hasTotals)
            {
                m_trace.memory.push_back(known->memory);
            }
            m_trace.memoryWithoutTotals += known && !known->hasTotals ? 1 : 0;
        }
        catch (const KinetoEventError& error)
        {
            Fail(fmt::format("event {} {}; an event \"[memory]\" has ts, and in its args Bytes, "
                             "Device Type and Device Id",
                             m_number,
                             error.what()));
        }
    }

    void AddFrame(const json& event)
    {
        try
        {
            if (auto module = ReadKinetoModule(event))
            {
                m_trace.modules.push_back(std::move(*module));
            }
        }
        catch (const KinetoEventError& error)
        {
            Fail(fmt::format(
                "event {} {}; a frame of a module has ts, dur and tid", m_number, error.what()));
        }
    }

    void AddKnown(KinetoEvent::Kind kind, const json& event)
    {
        try
        {
            m_trace.events.push_back(ReadKinetoEvent(kind, event));
            if (m_trace.events.back().IsDeviceWork())
            {
                CheckDevice(event);
            }
        }
        catch (const KinetoEventError& error)
        {
            Fail(fmt::format("event {} {}; a complete event (\"ph\": \"X\") has name, ts and dur, "
                             "and tid or args.stream",
                             m_number,
                             error.what()));
        }
    }

    /// Remembers the device of a work. A second device is an error.
    void CheckDevice(const json& event)
    {
        // ReadKinetoEvent has found a stream in `args`, so that member is there.
        const auto args = event.find("args");
        const auto device = args->find("device");
        if (device != args->end() && device->is_number_integer())
        {
            m_trace.device = device->get<int64_t>();
        }
        // Texts are compared, so that a device that is no number counts as one too.
        m_devices.insert(device == args->end() ? "" : device->dump());
        if (m_devices.size() > 1)
        {
            Fail(fmt::format("records work on several devices, {} and {}, but a rank has one NPU; "
                             "record each process with a device of its own",
                             *m_devices.begin(),
                             *m_devices.rbegin()));
        }
    }

    /// A trace need not have any of these members, so what is missing or of another type is left
    /// out.
    void ReadHead(const json& head)
    {
        const auto version = head.find("schemaVersion");
        m_trace.schema = version == head.end() ? "kineto" : "kineto-" + version->dump();
        const auto info = head.find("distributedInfo");
        if (info == head.end() || !info->is_object())
        {
            return;
        }
        const auto read = [&](const char* member) -> std::optional<uint32_t>
        {
            const auto value = info->find(member);
            const bool isRank = value != info->end() && value->is_number_unsigned() &&
                                value->get<uint64_t>() <= UINT32_MAX;
            return isRank ? std::optional(value->get<uint32_t>()) : std::nullopt;
        };
        m_trace.rank = read("rank");
        m_trace.worldSize = read("world_size");
        const auto groups = info->find("pg_config");
        if (groups != info->end() && groups->is_array())
        {
            ReadGroups(*groups);
        }
    }

    void ReadGroups(const json& groups)
    {
        for (const json& group : groups)
        {
            const auto name = group.find("pg_name");
            const auto ranks = group.find("ranks");
            if (name == group.end() || ranks == group.end() || !name->is_string())
            {
                continue;
            }
            // A list that was cut off is empty here; then only the calls tell the members.
            std::vector<uint32_t> members = ReadRankList(*ranks);
            if (!members.empty())
            {
                m_trace.groups[name->get<std::string>()] = std::move(members);
            }
        }
    }

    KinetoTrace& m_trace;
    bool m_isInEvents = false;
    bool m_hasEvents = false;
    uint64_t m_number = 0; // of the event, from 1
    std::set<std::string> m_devices;
};

} // namespace

KinetoTrace
ParseKinetoTrace(std::string contents, const std::string& source)
{
    if (IsCompressed(contents))
    {
        contents = Inflate(contents, source);
    }
    CheckJsonNesting(contents, source);
    KinetoTrace trace;
    trace.source = source;
    KinetoReader(trace).Read(contents);
    return trace;
}

KinetoTrace
ReadKinetoTrace(const std::string& path)
{
    return ParseKinetoTrace(ReadFileContents(path), path);
}

} // namespace nadi
