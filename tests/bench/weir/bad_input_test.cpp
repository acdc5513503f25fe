#include <string>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

// Invalid input is refused before anything runs: exit code 2, nothing on stdout, no file, and one line on stderr that
// names the input.
struct bad_case {
  const char* what;  // for the name of the test
  const char* arguments;
  const char* names;  // is in the line
};

void PrintTo(const bad_case& c, std::ostream* to) { *to << c.arguments; }

class bad_input : public ::testing::TestWithParam<bad_case> {};

TEST_P(bad_input, is_one_line_and_exit_code_2) {
  const scratch_folder folder;
  const bool writes = std::string(GetParam().arguments).find("--out") != std::string::npos;
  expect_refused(std::string(GetParam().arguments) + (writes ? "" : " --out " + folder.at("observations.csv")) +
                     " --save-model " + folder.at("model.json"),
                 GetParam().names);
  EXPECT_TRUE(folder.is_empty());
}

const bad_case cases[] = {
    {"unknown_kernel", "matmul --kernel fast", "\"fast\""},
    {"size_0", "matmul --sizes-list 100,0", "--sizes-list: 0"},
    {"size_negative", "matmul --sizes-list -5", "-5"},
    {"size_junk", "matmul --sizes-list 100,x2", "\"x2\""},
    {"size_fraction", "matmul --sizes-list 1.5", "\"1.5\""},
    {"size_twice", "matmul --sizes-list 100,100", "100 is listed twice"},
    {"size_huge", "matmul --sizes-list 99999999999999999999", "99999999999999999999"},
    {"range_from_0", "matmul --sizes 0:100:10", "--sizes: 0"},
    {"range_backwards", "matmul --sizes 300:100:10", "300:100:10"},
    {"range_step_0", "matmul --sizes 100:300:0", "--sizes: 0"},
    {"range_junk", "matmul --sizes 100-300", "100-300"},
    {"range_and_list", "matmul --sizes 100:300:100 --sizes-list 100", "--sizes-list"},
    {"order", "matmul --order falling", "\"falling\""},
    {"time", "matmul --time user", "\"user\""},
    {"time_of_sleep", "matmul --kernel emulated --time cpu", "--time cpu"},
    {"repeat_0", "matmul --repeat 0", "--repeat: 0"},
    {"repeat_junk", "matmul --repeat many", "many"},
    {"too_many_records", "matmul --repeat 2000000000", "--repeat"},
    {"rounds_0", "matmul --rounds 0", "--rounds: 0"},
    {"width_0", "matmul --width 0", "--width: 0"},
    {"policy_misspelt", "matmul --policy adaptiv", "adaptiv"},
    {"policy_empty", "matmul --policy ''", "--policy"},
    {"policy_names_no_component", "matmul --policy fixed:generat=1,multiply=1", "\"generat\""},
    {"policy_without_number", "matmul --policy fixed:multiply", "\"multiply\""},
    {"policy_without_shares", "matmul --policy fixed:", "fixed:"},
    {"policy_share_0", "matmul --policy fixed:multiply=0", "0"},
    {"policy_share_junk", "matmul --policy fixed:multiply=two", "\"two\""},
    {"policy_share_twice", "matmul --policy fixed:multiply=1,multiply=1", "\"multiply\""},
    {"policy_beyond_the_machine", "matmul --policy fixed:multiply=5000", "5000 cores"},
    {"objective", "matmul --objective speed", "\"speed\"; there are throughput, latency, latency_at:RATE"},
    {"objective_rate", "matmul --objective latency_at:-1", "-1"},
    {"objective_fewest_without_rate", "matmul --objective fewest_cores:", "--objective fewest_cores:"},
    {"objective_fewest_without_unit", "matmul --objective fewest_cores:40:200", "\"200\" is no time with its unit"},
    {"objective_fewest_with_more", "matmul --objective fewest_cores:40:200ms:1s", "fewest_cores:RATE or fewest"},
    {"objective_fewest_of_no_time", "matmul --objective fewest_cores:40:0ms", "fewest_cores:40:0ms"},
    {"objective_in_a_grid", "matmul --cores 1 --objective latency", "--objective"},
    {"policy_twice", "matmul --policy equal --policy equal", "equal"},
    {"policy_of_another_network", "matmul --kernel emulated --policy fixed:multiply=1", "\"multiply\""},
    {"cores_beyond_the_machine", "matmul --cores 5000", "5000"},
    {"cores_0", "matmul --cores 0", "--cores: 0"},
    {"cores_junk", "matmul --cores 1,b", "\"b\""},
    {"live_junk", "matmul --live abc", "--live: \"abc\" is not a whole number in 0..65535"},
    {"flag_with_a_value", "matmul --json=3", "--json: it takes no value"},
    {"cores_twice", "matmul --cores 1,1", "1 is listed twice"},
    {"cores_and_policy", "matmul --cores 1 --policy equal", "--policy"},
    {"cores_and_width", "matmul --cores 1 --width 2", "--width"},
    {"cores_and_emulated", "matmul --kernel emulated --cores 1", "--cores"},
    {"machine", "matmul --kernel emulated --machine 'nine cores'", "\"nine cores\""},
    {"machine_and_real_kernel", "matmul --machine 'package:4 core:12 pu:1'", "naive"},
    {"machine_smaller_than_the_chain", "matmul --kernel emulated --machine 'core:2 pu:1'", "core:2 pu:1"},
    {"estimator", "matmul --estimator oracle", "--estimator: no estimator is named 'oracle'"},
    {"seed_junk", "matmul --seed x", "x"},
    {"seed_negative", "matmul --seed -1", "--seed: -1 is not in 0..18446744073709551615"},
    {"seed_of_65_bits", "matmul --seed 18446744073709551616", "--seed: 18446744073709551616 is not in"},
    {"objective_of_no_policy", "matmul --policy equal --objective latency",
     "--objective latency: it is of adaptive and best-fixed-by-model, and has no effect on equal"},
    {"sizes_list_empty", "matmul --sizes-list ''", "--sizes-list: an empty value"},
    {"out_in_no_folder", "matmul --out /no/such/folder/observations.csv", "/no/such/folder/observations.csv"},
    {"out_is_a_folder", "matmul --out /", "\"/\""},
    {"out_empty", "matmul --out ''", "--out"},
    {"unknown_option", "matmul --kernal naive", "--kernal"},
    {"unknown_command", "matmull", "matmull"},
    {"stray_argument", "matmul 100", "100"},
};

INSTANTIATE_TEST_SUITE_P(weir_matmul, bad_input, ::testing::ValuesIn(cases),
                         [](const auto& one) { return std::string(one.param.what); });

TEST(weir_command, without_a_subcommand_says_so) {
  const outcome o = run_weir("");
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(lines_of(o.err).size(), 1u) << o.err;
}

TEST(weir_command, refuses_a_model_file_in_no_folder_before_it_runs) {
  const scratch_folder folder;
  expect_refused("matmul --out " + folder.at("o.csv") + " --save-model /no/such/folder/model.json",
                 "--save-model: /no/such/folder/model.json");
  EXPECT_TRUE(folder.is_empty());
}

TEST(weir_command, refuses_a_folder_of_models_with_a_damaged_one_by_its_path) {
  const scratch_folder folder;
  std::ofstream(folder.at("old.json")) << "{}";
  expect_refused("matmul --prior-models " + folder.path().string(),
                 "--prior-models: " + folder.at("old.json") + ": saved models: ");
}

TEST(weir_command, refuses_one_file_for_two_things) {
  const scratch_folder folder;
  const outcome o = run_weir("matmul --out " + folder.at("f") + " --save-model " + folder.at("f"));
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace weir::testing
