#include "help/topics.hpp"

#include "topic_files.hpp"

namespace opcat {

std::span<const Topic> topics() {
    static const Topic all[] = {
        {"channels", embedded::channels_md},
        {"replaces-skips-skiprange", embedded::replaces_skips_skiprange_md},
        {"indexignore", embedded::indexignore_md},
        {"olm-classic-and-v1", embedded::olm_classic_and_v1_md},
        {"exit-status", embedded::exit_status_md},
    };
    return all;
}

std::string_view title_of(const Topic& topic) {
    return topic.markdown.substr(2, topic.markdown.find('\n') - 2);
}

} // namespace opcat
