// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-marks.h"

#include "common/unit-parser.h"
#include "importers/import-values.h"
#include "importers/ns3-quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

const std::string ECN_PATH = "network.packet.ecn";

/// Values by bits per second.
using RateMap = std::map<int64_t, const ConfigNode*>;

struct Threshold
{
    std::string key;
    std::string name; ///< ours
};

const std::vector<Threshold> THRESHOLDS{
    {"KMIN_MAP", "min"}, {"KMAX_MAP", "max"}, {"PMAX_MAP", "probability"}};

/// `count rate value rate value ...`
RateMap
ReadRateMap(const ConfigNode& node)
{
    const std::vector<const ConfigNode*> items = ReadItems(node);
    const uint32_t count = items.empty() ? 0 : ReadWholeNumber(*items.front());
    if (items.size() != 1 + 2 * size_t{count})
    {
        node.Fail(fmt::format("has {} words after a count of {}; write two for each: rate value",
                              items.empty() ? 0 : items.size() - 1,
                              count));
    }
    RateMap map;
    for (size_t i = 1; i < items.size(); i += 2)
    {
        // The key is a number, since "100Gbps" and "100000000000" are the same rate.
        map[ReadNs3Rate(*items[i]).BitsPerSecond()] = items[i + 1];
    }
    return map;
}

/// A count for each rate.
std::map<int64_t, uint32_t>
CountRates(const std::vector<Bandwidth>& rates)
{
    std::map<int64_t, uint32_t> counts;
    for (const Bandwidth rate : rates)
    {
        ++counts[rate.BitsPerSecond()];
    }
    return counts;
}

int64_t
MostCommon(const std::map<int64_t, uint32_t>& counts)
{
    // Of equal counts, max_element gives the first one, which has the lowest rate.
    return std::max_element(counts.begin(),
                            counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

std::string
RateText(int64_t bitsPerSecond)
{
    return ToNetworkText(Bandwidth::FromBitsPerSecond(bitsPerSecond));
}

Json
ReadThreshold(const std::string& name, const ConfigNode& value)
{
    if (name == "probability")
    {
        return ReadProbability(value);
    }
    // KMIN_MAP and KMAX_MAP count KB of 1000 bytes.
    const Bytes threshold{int64_t{ReadWholeNumber(value)} * 1000};
    // A maximum of 0 marks every frame that leaves a queue behind, for which Nadi has 1 B.
    return ToText(name == "max" ? std::max(threshold, Bytes(1)) : threshold);
}

std::string
ShortText(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The thresholds for the ports of one topology. Requires: there is a port.
///
/// Nadi's ECN has one set of thresholds for all ports, the source one for each rate. The set of the
/// most common rate is taken, and each line says for how many ports of which rates it differs.
class MarksImport
{
  public:
    MarksImport(const ConfigNode& root, const std::vector<Bandwidth>& ports, ImportDraft& draft)
        : m_root(root)
        , m_counts(CountRates(ports))
        , m_rate(MostCommon(m_counts))
        , m_draft(draft)
    {
    }

    void Run() const
    {
        m_draft.Note(*m_root.Find("ENABLE_QCN"), ECN_PATH + ": on, with the thresholds below");
        for (const Threshold& threshold : THRESHOLDS)
        {
            Import(threshold);
        }
        CheckOrder();
    }

  private:
    RateMap Read(const std::string& key) const
    {
        const ConfigNode* node = m_root.Find(key);
        if (node == nullptr)
        {
            m_root.Fail("key " + key + " is missing; ENABLE_QCN needs it");
        }
        RateMap values = ReadRateMap(*node);
        // Rates that are not taken need a value too, as the line tells how theirs differ.
        for (const auto& [rate, count] : m_counts)
        {
            if (!values.contains(rate))
            {
                node->Fail(fmt::format(
                    "has no value for {}, the rate of {} ports; add one", RateText(rate), count));
            }
        }
        return values;
    }

    void Import(const Threshold& threshold) const
    {
        const RateMap values = Read(threshold.key);
        const Json value = ReadThreshold(threshold.name, *values.at(m_rate));
        const std::string path = ECN_PATH + "." + threshold.name;
        m_draft.Set(path, value);
        m_draft.Note(*m_root.Find(threshold.key),
                     fmt::format("{}: {}, of {}{}",
                                 path,
                                 ShortText(value),
                                 RateText(m_rate),
                                 DescribeOthers(threshold, values)));
    }

    /// The ports that have another threshold in the source; empty where all have the same.
    std::string DescribeOthers(const Threshold& threshold, const RateMap& values) const
    {
        const Json ours = ReadThreshold(threshold.name, *values.at(m_rate));
        std::string others;
        for (const auto& [rate, count] : m_counts)
        {
            const Json theirs = ReadThreshold(threshold.name, *values.at(rate));
            if (theirs != ours)
            {
                others += fmt::format("{}{} for {} ports of {}",
                                      others.empty() ? "" : ", ",
                                      ShortText(theirs),
                                      count,
                                      RateText(rate));
            }
        }
        return others.empty() ? "" : "; one for all ports here, there " + others;
    }

    /// Here one pair of thresholds holds for all ports, so only the pair that is taken has to be in
    /// order.
    void CheckOrder() const
    {
        const auto kilobytes = [&](const char* key)
        { return ReadWholeNumber(*Read(key).at(m_rate)); };
        if (kilobytes("KMIN_MAP") > kilobytes("KMAX_MAP"))
        {
            m_root.Find("KMIN_MAP")
                ->Fail("has more than KMAX_MAP for " + RateText(m_rate) + "; write at most that");
        }
    }

    const ConfigNode& m_root;
    std::map<int64_t, uint32_t> m_counts; ///< of ports, by rate
    int64_t m_rate;
    ImportDraft& m_draft;
};

void
DropThresholds(const ConfigNode& root, const std::string& why, ImportDraft& draft)
{
    draft.Map(*root.Find("ENABLE_QCN"), ECN_PATH, "off");
    for (const Threshold& threshold : THRESHOLDS)
    {
        if (const ConfigNode* node = root.Find(threshold.key))
        {
            draft.Note(*node, "nothing: " + why);
        }
    }
}

} // namespace

const std::vector<std::string>&
Ns3MarkKeys()
{
    static const std::vector<std::string> keys{"ENABLE_QCN", "KMIN_MAP", "KMAX_MAP", "PMAX_MAP"};
    return keys;
}

void
ImportNs3Marks(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft)
{
    const std::vector<Bandwidth> ports = topology.SwitchPortRates();
    // Without a port no rate is the most common one. Without marks the maps may be missing, so they
    // are not read.
    if (ports.empty() || !ReadFlag(*root.Find("ENABLE_QCN")))
    {
        return DropThresholds(root, ports.empty() ? "there is no link" : "ENABLE_QCN is 0", draft);
    }
    MarksImport(root, ports, draft).Run();
}

} // namespace nadi
