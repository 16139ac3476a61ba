// Two bugs, to see that the sanitizers find them: planted read (beyond an array), planted race (of two threads).
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

int main(int, char** words) {
    if (std::strcmp(words[1], "read") == 0) {
        std::vector<int> array(4);
        const int* volatile first = array.data();
        std::printf("%d\n", first[4]);
    } else {
        int count = 0;
        std::thread other([&] { ++count; });
        ++count;
        other.join();
        std::printf("%d\n", count);
    }
}
