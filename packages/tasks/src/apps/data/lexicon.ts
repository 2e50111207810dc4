import type { Split } from '@gyre/protocol';

export type Language = 'en' | 'zh';

export type WordKind = 'first' | 'last' | 'thing' | 'kind' | 'quality' | 'good' | 'place' | 'street' | 'group';

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

type Lists = Readonly<Record<Split, readonly string[]>>;
const owned = (train: string, dev: string, test: string): Lists => ({
  train: list(train),
  dev: list(dev),
  test: list(test),
});

/** Each word belongs to one split. */
export const lexicon: Readonly<Record<Language, Readonly<Record<WordKind, Lists>>>> = {
  en: {
    first: owned(
      `Alice Boris Carla Derek Elena Felix Grace Henry Irene Jonas Karen Louis Maria Nadia Oscar Paula Quinn Rosa Simon Tanja
       Ulrich Vera Walter Xenia Yusuf Zoe Amir Bella Cedric Diana Emil Fiona Gavin Hanna Ivan Julia Kevin Laura Marco Nina`,
      'Otto Petra Rafael Sonja Tobias Wanda Ada Bruno Celia Dario',
      'Edith Frank Gloria Hugo Ida Jakob Klara Leo Mona Niklas Olga Pablo Ruth Stefan Thea Viktor',
    ),
    last: owned(
      `Abbott Barnes Carter Dalton Ellis Foster Graham Harper Irving Jensen Keller Larsen Mason Norton Olsen Parker Quigley
       Ramsey Sutton Turner Underhill Vaughn Walker Yates Zimmer Arnold Becker Collins Draper Fisher Gordon Howard`,
      'Bishop Cooper Duncan Fletcher Garcia Hudson Novak Porter',
      'Archer Bennett Clarke Donovan Emerson Franklin Goodwin Hayes Ingram Jordan Lambert Monroe Reeves',
    ),
    thing: owned(
      `Budget Website Payroll Garden Kitchen Summer Office Printer Client Survey Travel Harbour Museum Newsletter Invoice
       Security Training Product Warehouse Library Contract Festival Database Marketing Bicycle Hiring Quarterly Solar`,
      'Catering Insurance Concert Heating Customs Firewall Orchard Parking Compost Voucher Roofing Podcast',
      'Archive Bridge Cinema Delivery Energy Fabric Glacier Hospital Inventory Jewellery Laboratory Mobile',
    ),
    kind: owned(
      'review plan notes update meeting report draft schedule checklist summary proposal agenda',
      'overview minutes outline forecast digest estimate',
      'briefing roadmap analysis memo workshop handover',
    ),
    quality: owned(
      'Coral Velvet Nordic Swift Urban Golden Misty Rustic Silent Bright Classic Amber Crystal Marine Breezy Copper',
      'Lunar Scarlet Alpine Mellow Vivid',
      'Cobalt Ivory Polar Royal Sandy Tropic Wild',
    ),
    good: owned(
      `Lamp Kettle Backpack Blanket Mug Chair Headphones Notebook Scarf Clock Speaker Pillow Bottle Wallet Umbrella Basket
       Candle Keyboard Tripod Vase`,
      'Toaster Helmet Curtain Sandals Globe Stapler',
      'Lantern Rucksack Teapot Mirror Cushion Gloves Webcam Tent Jug',
    ),
    place: owned(
      `Ashford Brookvale Crestwood Dunmore Eastport Fairview Glenrock Highfield Ironton Kingsley Lakeside Millbrook Northgate
       Oakdale Pinehurst Redwood`,
      'Silverton Thornbury Westbrook Wyndham Elmswood Foxhaven',
      'Birchmoor Clearwater Deepdale Edgewater Fernhill Greystone Hazelton Inverness',
    ),
    street: owned(
      'Maple Cedar Chestnut Willow Station Mill Church River Garden Market Hill Spring',
      'Poplar Meadow Abbey Hawthorn Canal Victoria Temple Forge Rowan',
      'Linden Juniper Castle Tower Quarry Laurel Princess Windmill Cobbler',
    ),
    group: owned(
      `design backend finance travel random support music reading football cooking launch hiring security photos garden coffee
       research events`,
      'interns catering tennis parking choir sailing alumni printing',
      'legal mobile archive chess films weather partners',
    ),
  },
  zh: {
    first: owned(
      `伟 芳 娜 秀英 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀兰 霞 平 刚 桂英 建华 文 玉兰 志强 海燕 晓东 雪梅 俊峰 思远`,
      '子涵 浩然 雨欣 宇轩 嘉怡 博文 诗涵 俊杰 佳琪 子轩 雅婷 文博',
      '梓萱 一诺 天佑 若曦 启航 慕晴 书瑶 泽宇 安琪 明哲',
    ),
    last: owned(
      '王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗',
      '梁 宋 郑 邓 曾 彭',
      '谢 韩 唐 冯 于 董 萧 程',
    ),
    thing: owned(
      `预算 网站 工资 花园 厨房 暑期 办公室 打印机 客户 调查 差旅 港口 博物馆 通讯 发票 安全 培训 产品 仓库 图书馆 合同 节日
       数据库 市场 自行车 招聘 季度 太阳能`,
      '餐饮 保险 音乐会 供暖 海关 防火墙 果园 停车 堆肥 代金券 屋顶 播客',
      '档案 桥梁 电影院 快递 能源 面料 冰川 医院 库存 珠宝 实验室 移动端',
    ),
    kind: owned(
      '评审 计划 笔记 更新 会议 报告 草稿 安排 清单 总结 提案 议程',
      '概览 纪要 大纲 预测 摘要 估算',
      '简报 路线图 分析 备忘 研讨 交接',
    ),
    quality: owned(
      '珊瑚 丝绒 北欧 轻便 都市 金色 薄雾 田园 静音 明亮 经典 琥珀 水晶 海洋 清风 铜制',
      '月光 猩红 高山 柔和 鲜艳',
      '钴蓝 象牙 极地 皇家 沙色 热带 野外',
    ),
    good: owned(
      '台灯 水壶 背包 毛毯 马克杯 椅子 耳机 笔记本 围巾 时钟 音箱 枕头 水瓶 钱包 雨伞 篮子 蜡烛 键盘 三脚架 花瓶',
      '烤面包机 头盔 窗帘 凉鞋 地球仪 订书机',
      '灯笼 登山包 茶壶 镜子 靠垫 手套 摄像头 帐篷 果汁壶',
    ),
    place: owned(
      '安平镇 柏树湾 长桥 东港 福田里 高岭 和平村 江口 金山屯 兰溪 龙泉 明湖 南门 青松岭 双河 石桥',
      '银滩 云台 西林 竹园',
      '白鹭洲 翠屏 大坪 枫叶谷 桂花巷 黑石 鹿鸣 清水湾',
    ),
    street: owned(
      '中山 人民 解放 建设 新华 光明 文化 胜利 和平 长江 黄河 友谊',
      '朝阳 复兴 学院 天山 长安 科技 银杏 湖滨 东风',
      '滨海 松江 玉泉 星光 梧桐 泰山 创新 海棠 南京',
    ),
    group: owned(
      '设计 后端 财务 旅行 闲聊 客服 音乐 读书 足球 美食 发布 招聘 安全组 摄影 园艺 咖啡 研究 活动',
      '实习生 食堂 网球 停车场 合唱 航海 校友 印刷',
      '法务 移动 归档 象棋 影视 天气 合作方',
    ),
  },
};

/** `{topic}` stands for a subject of the split. */
export const notes: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'The {topic} is ready',
    'Please check the {topic}',
    'I will bring the {topic}',
    'No news on the {topic} yet',
    'The {topic} looks good to me',
    'Can we move the {topic}?',
    'Thanks for the {topic}',
    'We need the {topic} by noon',
    'The {topic} is done',
    'See you at the {topic}',
  ],
  zh: [
    '{topic}已经好了',
    '请看一下{topic}',
    '我会带上{topic}',
    '{topic}还没有消息',
    '{topic}我觉得不错',
    '{topic}可以改期吗',
    '谢谢你的{topic}',
    '中午前需要{topic}',
    '{topic}做完了',
    '{topic}见',
  ],
};
