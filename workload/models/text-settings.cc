// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/text-settings.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

// Each layer names its own policy, in one more column.
constexpr const char* CUSTOMIZED = "HYBRID_CUSTOMIZED";
constexpr const char* ENHANCED_DLRM = "HYBRID_DLRM_ENHANCED";
constexpr const char* REPEATING_TRANSFORMER = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";

constexpr const char* LAST_BOTTOM_LAYER = "DLRM_LAST_BOTTOM_LAYER:";
constexpr const char* MODEL_RANKS = "model_parallel_NPU_group:";

/// Takes the words behind the policy one after the other.
class TextSettingsReader
{
  public:
    TextSettingsReader(const WorkloadLine& line, TextFile& file)
        : m_line(line)
        , m_file(file)
        , m_policy(line.Words().front())
        , m_settings(FindSettings())
    {
    }

    void Read()
    {
        const char* const needed = FindNeeded();
        if (needed != nullptr)
        {
            ReadUnnamed(needed);
        }
        while (m_at < m_line.Words().size())
        {
            const Setting read = m_line.OneOf(m_settings, m_at, "setting of " + m_policy);
            const std::string& name = m_line.Words()[m_at++];
            m_file.saysGatheredSizes |= IsOfSimAi(read);
            if (!m_seen.insert(name).second)
            {
                m_line.Fail("has " + name + " twice; keep one of them");
            }
            (this->*read)(name);
        }
        if (needed != nullptr && !m_seen.contains(needed))
        {
            (this->*m_settings.at(needed))(needed); // which says that the line ends before it
        }
    }

  private:
    using Setting = void (TextSettingsReader::*)(const std::string& name);

    std::map<std::string, Setting> FindSettings() const
    {
        if (m_file.policy == TextPolicy::Dlrm)
        {
            return {{LAST_BOTTOM_LAYER, &TextSettingsReader::ReadLastBottomLayer}};
        }
        if (m_file.policy != TextPolicy::Transformer)
        {
            return {};
        }
        std::map<std::string, Setting> settings{{MODEL_RANKS, &TextSettingsReader::ReadModelRanks},
                                                {"ep:", &TextSettingsReader::ReadOne},
                                                {"pp:", &TextSettingsReader::ReadOne},
                                                {"ga:", &TextSettingsReader::ReadOne},
                                                {"vpp:", &TextSettingsReader::PassOver},
                                                {"pp_comm", &TextSettingsReader::PassOver},
                                                {"pp_comm:", &TextSettingsReader::PassOver},
                                                {"all_gpus:", &TextSettingsReader::ReadRanks}};
        if (m_policy == REPEATING_TRANSFORMER)
        {
            settings["checkpoints:"] = &TextSettingsReader::ReadCheckpoints;
            settings["checkpoint_initiates:"] = &TextSettingsReader::ReadInitiators;
        }
        return settings;
    }

    static bool IsOfSimAi(Setting setting)
    {
        return setting == &TextSettingsReader::ReadOne ||
               setting == &TextSettingsReader::PassOver ||
               setting == &TextSettingsReader::ReadRanks;
    }

    /// The setting without which the policy says nothing, or null.
    const char* FindNeeded() const
    {
        if (m_file.policy == TextPolicy::Dlrm)
        {
            return LAST_BOTTOM_LAYER;
        }
        return m_file.policy == TextPolicy::Transformer ? MODEL_RANKS : nullptr;
    }

    /// The number of the needed setting may stand without its name, as the second word.
    void ReadUnnamed(const std::string& needed)
    {
        const std::vector<std::string>& words = m_line.Words();
        const bool isNumber = m_at < words.size() &&
                              std::isdigit(static_cast<unsigned char>(words[m_at].front())) != 0;
        if (isNumber)
        {
            m_seen.insert(needed);
            (this->*m_settings.at(needed))(needed);
        }
    }

    void ReadLastBottomLayer(const std::string&)
    {
        m_file.lastBottomLayer = m_line.Count(m_at++, "number of the last bottom layer");
    }

    void ReadModelRanks(const std::string&)
    {
        m_file.modelRanks = m_line.Count(m_at++, "size of a model-parallel group");
    }

    void ReadRanks(const std::string&)
    {
        m_file.ranks = m_line.Count(m_at++, "number of ranks");
    }

    void ReadOne(const std::string& name)
    {
        if (const uint32_t number = m_line.Count(m_at++, "number of SimAI's"); number != 1)
        {
            m_line.Fail(fmt::format("{} {} asks for groups or steps of SimAI's dialect, which are "
                                    "not simulated; write 1, or make the job by model: transformer",
                                    name,
                                    number));
        }
    }

    void PassOver(const std::string&)
    {
        m_line.Number(m_at++, "number of SimAI's");
    }

    void ReadCheckpoints(const std::string&)
    {
        m_file.checkpoints = ReadLayers();
    }

    void ReadInitiators(const std::string&)
    {
        m_file.initiators = ReadLayers();
    }

    /// "count first second ..."
    std::vector<uint32_t> ReadLayers()
    {
        std::vector<uint32_t> layers;
        // However large a damaged count is, the loop ends with an error where the words end.
        const uint64_t count = m_line.Number(m_at++, "count");
        for (uint64_t i = 0; i < count; ++i)
        {
            layers.push_back(m_line.Count(m_at++, "number of a layer"));
        }
        // The list is sorted, as TextWriter searches by bisection and CheckNumbers looks at the
        // last one.
        std::ranges::sort(layers);
        return layers;
    }

    const WorkloadLine& m_line;
    TextFile& m_file;
    std::string m_policy; // as the line names it
    std::map<std::string, Setting> m_settings;
    std::set<std::string> m_seen;
    size_t m_at = 1; // the word that is read next
};

} // namespace

const std::map<std::string, TextPolicy>&
TextPolicies()
{
    static const std::map<std::string, TextPolicy> policies{
        {"MICRO", TextPolicy::Micro},
        {"DATA", TextPolicy::Data},
        {"MODEL", TextPolicy::Model},
        {"HYBRID_DATA_MODEL", TextPolicy::DataModel},
        {"HYBRID_MODEL_DATA", TextPolicy::ModelData},
        {"HYBRID_DLRM", TextPolicy::Dlrm},
        {ENHANCED_DLRM, TextPolicy::Dlrm},
        {"HYBRID_TRANSFORMER", TextPolicy::Transformer},
        {REPEATING_TRANSFORMER, TextPolicy::Transformer},
        {"DISTRIBUTED_INFERENCE", TextPolicy::Inference}};
    return policies;
}

void
ReadTextSettings(const WorkloadLine& line, TextFile& file)
{
    const std::string& name = line.Word(0, "policy");
    file.policy = name == CUSTOMIZED ? TextPolicy::Customized
                                     : line.OneOf(TextPolicies(), 0, "policy of text workloads");
    file.awaitsExchange = name != ENHANCED_DLRM;
    file.repeatsForward = name == REPEATING_TRANSFORMER;
    TextSettingsReader(line, file).Read();
}

} // namespace nadi
